/** Writes docs/plan-format.md from the schema of plans. */

import { planJsonSchema } from '@rolecall/reconcile';
import { fieldTable, type Schema } from './schema-words.ts';

/** Builds the page: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  // The schema is built from such schemas only; what zod makes of them is typed more loosely.
  const { $defs = {} } = planJsonSchema() as Schema;
  const sections = Object.entries($defs).map(([name, schema]) => section(name, schema));
  return new Map([['docs/plan-format.md', `${[introduction, ...sections].join('\n\n')}\n`]]);
}

const introduction = `<!-- Made from reconcile/model/plan-schema.ts by \`npm run generate\`; do not edit. -->

# The format of plans

\`rolecall plan --format json\` and \`rolecall show --format json\` print one Plan; \`rolecall apply --format json\` prints it in the
field \`plan\`. The JSON Schema is [plan.schema.json](../reconcile/plan.schema.json), and \`rolecall schema --plan\` prints it. The
[saved plan](plans.md) is another file, which has a Plan in it. No secret is in either.`;

function section(name: string, schema: Schema): string {
  const head = `## ${name}\n\n${schema.description ?? ''}`;
  const forms = schema.anyOf ?? [schema];
  return [head, ...forms.map(fieldTable)].join('\n\n');
}
