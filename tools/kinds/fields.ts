/** The table of fields on the page of a kind, from the JSON Schema of the input. */

import { exactlyOneKey } from '../../crds/fields/exactly-one.ts';
import { timestampPattern } from '../../crds/fields/timestamp.ts';
import { toInputSchema } from '../../crds/schema/json-schema.ts';

/** The parts of a field's JSON Schema that the page shows. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly maxItems?: number;
  readonly uniqueItems?: boolean;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly [exactlyOneKey]?: readonly string[];
}

/** The kinds are built from such schemas only; what zod makes of them is typed more loosely. */
export const schemaOf = (schema: Parameters<typeof toInputSchema>[0]): Schema => toInputSchema(schema);

/**
 * One row for each field; the fields of a mapping follow it.
 *
 * @param changed the effect of a new value of a field, by its name; adds a column for it
 */
export function fieldTable(schema: Schema, changed?: Readonly<Record<string, string>>): string {
  const head = ['field', 'type', 'default', ...(changed === undefined ? [] : ['a new value']), 'meaning'];
  const lines = [head, head.map(() => '---'), ...rows(schema, '', changed)];
  return lines
    .map((cells) => `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`)
    .join('\n');
}

function rows(schema: Schema, prefix: string, changed?: Readonly<Record<string, string>>): string[][] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isRequired = schema.required?.includes(name) === true;
    const whenChanged = changed === undefined ? [] : [prefix === '' ? (changed[name] ?? '') : ''];
    return [
      [`\`${prefix}${name}\``, typeOf(field), defaultOf(field, isRequired), ...whenChanged, meaningOf(field)],
      ...rows(field, `${prefix}${name}.`, changed),
    ];
  });
}

/** The type of a field with its bounds. */
function typeOf(field: Schema): string {
  if (field.enum !== undefined) return field.enum.map((choice) => `\`${choice}\``).join(', ');
  if (field.pattern === timestampPattern.source) return 'time with zone (RFC 3339)';
  // Durations are the only fields that take text and numbers.
  if (Array.isArray(field.type)) return 'duration';
  if (field.type === 'array') {
    const most = field.maxItems === undefined ? '' : ` at most ${field.maxItems.toLocaleString('en-US')}`;
    return `list of${most}: ${typeOf(field.items ?? {})}${field.uniqueItems === true ? '; none twice' : ''}`;
  }
  if (field.type === 'boolean') return '`true`, `false`';
  if (field.type === 'integer') {
    return `whole number, ${(field.minimum ?? 0).toLocaleString('en-US')} to ${(field.maximum ?? 0).toLocaleString('en-US')}`;
  }
  if (field.type === 'object') return 'mapping';
  if (field.maxLength === undefined) return 'text';
  return `text, ${field.minLength ?? 0} to ${field.maxLength.toLocaleString('en-US')} characters`;
}

function defaultOf(field: Schema, isRequired: boolean): string {
  if (isRequired) return 'required';
  const { default: fallback } = field;
  if (fallback === '') return 'empty';
  return fallback === undefined || typeof fallback === 'object'
    ? ''
    : `\`${JSON.stringify(fallback).replaceAll('"', '')}\``;
}

function meaningOf(field: Schema): string {
  const choice = exclusive(field);
  return [field.description ?? '', ...(choice === undefined ? [] : [choice])].join(' ');
}

/** Of which fields exactly one is given, as a sentence. */
export function exclusive(schema: Schema): string | undefined {
  const fields = schema[exactlyOneKey];
  return Array.isArray(fields)
    ? `Exactly one of ${fields.map((name) => `\`${String(name)}\``).join(', ')}.`
    : undefined;
}
