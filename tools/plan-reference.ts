/** Writes docs/plan-format.md from the schema of plans. */

import { planJsonSchema } from '@rolecall/reconcile';

/** What the JSON Schema of a plan says, as far as it is written down here. */
interface Schema {
  readonly type?: string;
  readonly description?: string;
  readonly enum?: readonly string[];
  readonly const?: unknown;
  readonly $ref?: string;
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** Builds the page: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  // The schema is built from such schemas only; what zod makes of them is typed more loosely.
  const { $defs = {} } = planJsonSchema() as Schema;
  const sections = Object.entries($defs).map(([name, schema]) => section(name, schema));
  return new Map([['docs/plan-format.md', `${[introduction, ...sections].join('\n\n')}\n`]]);
}

const introduction = `<!-- Made from reconcile/plan-schema.ts by \`npm run generate\`; do not edit. -->

# The format of plans

\`rolecall plan --format json\` and \`rolecall show --format json\` print one Plan; \`rolecall apply --format json\` prints it in the
field \`plan\`. The JSON Schema is [plan.schema.json](../reconcile/plan.schema.json), and \`rolecall schema --plan\` prints it. The
[saved plan](plans.md) is another file, which has a Plan in it. No secret is in either.`;

function section(name: string, schema: Schema): string {
  const head = `## ${name}\n\n${schema.description ?? ''}`;
  const forms = schema.anyOf ?? [schema];
  return [head, ...forms.map(table)].join('\n\n');
}

function table({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([field, schema]) => {
    const optional = required.includes(field) ? '' : ' (may be absent)';
    return `| \`${field}\` | ${typeOf(schema)} | ${schema.description ?? ''}${optional} |`;
  });
  return ['| field | type | what it is |', '| --- | --- | --- |', ...rows].join('\n');
}

function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, additionalProperties, properties, type } = schema;
  if ($ref !== undefined) return linkTo($ref.split('/').at(-1) ?? '');
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${value}\``).join(', ');
  if (schema.const !== undefined) return `\`${JSON.stringify(schema.const)}\``;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined) {
    return Object.entries(properties)
      .map(([name, field]) => `\`${name}\` (${typeOf(field)})`)
      .join(', ');
  }
  if (typeof additionalProperties === 'object') return `by name: ${typeOf(additionalProperties)}`;
  return type ?? 'anything';
}

const linkTo = (name: string): string => `[${name}](#${name.toLowerCase()})`;
