/** Writes docs/definitions.md from the schemas of the kinds. */

import { connectionParameters } from '@rolecall/api';
import {
  annotations,
  apiVersion,
  type KindName,
  kindNames,
  kinds,
  metadataSchema,
  textAnnotations,
} from '@rolecall/crds';
import { commonFields } from '../crds/common.ts';
import { exactlyOneKey } from '../crds/exactly-one.ts';
import { toInputSchema } from '../crds/input-schema.ts';
import { timestampPattern } from '../crds/timestamp.ts';
import { commonRules, kindRules } from './kinds-rules.ts';

/** What a JSON Schema of a field says, as far as it is written down here. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly maxLength?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly [exactlyOneKey]?: readonly string[];
}

/** The kinds are built from such schemas only; what zod makes of them is typed more loosely. */
const schemaOf = (schema: Parameters<typeof toInputSchema>[0]): Schema => toInputSchema(schema);

/** Builds the page: its path from the root of the repository, and its text. */
export function generatedFiles(): ReadonlyMap<string, string> {
  const sections = [introduction(), ...kindNames.map(kindSection), common()];
  return new Map([['docs/definitions.md', `${sections.join('\n\n')}\n`]]);
}

function introduction(): string {
  return `<!-- Made from the schemas in crds/ by \`npm run generate\`; do not edit. -->

# Definitions

A definition is a YAML document of four fields:

| field | what it is |
| --- | --- |
| \`apiVersion\` | \`${apiVersion}\` |
| \`kind\` | ${kindNames.map((name) => `[\`${name}\`](#${name.toLowerCase()})`).join(', ')} |
| \`metadata\` | what identifies the definition, see below |
| \`spec\` | what is wanted, by kind |

A file may hold several, with a line of \`---\` between them; how they are spread over files and folders means nothing.
References are by the \`metadata.name\` of a declared object or, where none is declared, by what it is called in the
workspace (username, alias, role name). What can be wrong with definitions is listed in
[definition-problems.md](definition-problems.md).

\`rolecall schema --out rolecall.schema.json\` writes a JSON Schema, by which editors complete and check definitions.

## metadata

${table(schemaOf(metadataSchema))}

Annotations of \`rolecall.dev\` take the text \`"true"\` or \`"false"\`:

| annotation | meaning |
| --- | --- |
${Object.entries(annotations)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}

One takes any text:

| annotation | meaning |
| --- | --- |
${Object.entries(textAnnotations)
  .map(([name, meaning]) => `| \`${name}\` | ${meaning} |`)
  .join('\n')}`;
}

function kindSection(name: KindName): string {
  const { summary, example, schema } = kinds[name];
  const own = withoutCommon(schemaOf(schema));
  const choice = exclusive(own);
  return [
    `## ${name}`,
    summary,
    `\`\`\`yaml\n${example}\`\`\``,
    table(own),
    ...(choice === undefined ? [] : [`${choice}.`]),
    kindRules[name].map((rule) => `- ${rule}`).join('\n'),
    ...(name === 'DataSource' ? [parameters()] : []),
  ].join('\n\n');
}

function parameters(): string {
  const rows = Object.entries(connectionParameters).map(([type, rules]) => {
    const names = Object.keys(rules).map((name) => `\`${name}\``);
    return `| \`${type}://\` | ${names.join(', ')} |`;
  });
  return `A URI takes these parameters and no others:\n\n| scheme | parameters |\n| --- | --- |\n${rows.join('\n')}`;
}

function common(): string {
  const properties = schemaOf(kinds.Role.schema).properties ?? {};
  const shared = Object.entries(properties).filter(([name]) => Object.hasOwn(commonFields, name));
  return [
    '## Fields of every kind but Workspace',
    table({ properties: Object.fromEntries(shared) }),
    commonRules.map((rule) => `- ${rule}`).join('\n'),
  ].join('\n\n');
}

function withoutCommon(schema: Schema): Schema {
  const own = Object.entries(schema.properties ?? {}).filter(([name]) => !Object.hasOwn(commonFields, name));
  return { ...schema, properties: Object.fromEntries(own) };
}

function table(schema: Schema): string {
  return `| field | value | meaning |\n| --- | --- | --- |\n${rows(schema, '').join('\n')}`;
}

/** One row a field, those of a mapping after it. */
function rows(schema: Schema, prefix: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    const cells = [`\`${prefix}${name}\``, valueOf(field) + needOf(field, isRequired), meaningOf(field)];
    return [`| ${cells.map(escapeCell).join(' | ')} |`, ...rows(field, `${prefix}${name}.`)];
  });
}

function valueOf(field: Schema): string {
  if (field.enum !== undefined) return field.enum.map((choice) => `\`${choice}\``).join(', ');
  if (field.pattern === timestampPattern.source) return 'time with zone (RFC 3339)';
  // Durations are the only fields that take text and numbers.
  if (Array.isArray(field.type)) return 'duration';
  if (field.type === 'array') return `list of: ${valueOf(field.items ?? {})}`;
  if (field.type === 'boolean') return '`true`, `false`';
  if (field.type === 'integer') return `whole number from ${String(field.minimum)} to ${String(field.maximum)}`;
  if (field.type === 'object') return 'mapping';
  return field.maxLength === undefined ? 'text' : `text, at most ${field.maxLength.toLocaleString('en-US')} characters`;
}

function needOf(field: Schema, isRequired: boolean): string {
  if (isRequired) return '; required';
  const { default: fallback } = field;
  return fallback === undefined || fallback === '' || typeof fallback === 'object'
    ? ''
    : `; default \`${JSON.stringify(fallback).replaceAll('"', '')}\``;
}

function meaningOf(field: Schema): string {
  const choice = exclusive(field);
  return [field.description ?? '', ...(choice === undefined ? [] : [`${choice}.`])].join(' ');
}

function exclusive(schema: Schema): string | undefined {
  const fields = schema[exactlyOneKey];
  return Array.isArray(fields) ? `Exactly one of ${fields.map((name) => `\`${String(name)}\``).join(', ')}` : undefined;
}

function escapeCell(text: string): string {
  return text.replaceAll('|', String.raw`\|`);
}
