import { z } from 'zod';
import { planSchema } from './plan-schema.ts';

/** A JSON Schema (draft 2020-12) of a plan as `plan --format json` prints it. */
export function planJsonSchema(): Record<string, unknown> {
  const { $schema, ...rest } = z.toJSONSchema(planSchema, { target: 'draft-2020-12', reused: 'inline' });
  return { $schema, $id: 'https://rolecall.dev/schemas/plan.schema.json', title: 'Rolecall plan', ...rest };
}
