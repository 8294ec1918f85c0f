import { planJsonSchema } from './model/plan-schema.ts';

/** The files that are generated from this part: their paths from the root of the repository, and their texts. */
export function generatedFiles(): ReadonlyMap<string, string> {
  return new Map([['reconcile/plan.schema.json', `${JSON.stringify(planJsonSchema(), undefined, 2)}\n`]]);
}
