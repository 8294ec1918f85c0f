/** JSON Schemas in words, for the generated pages of documentation. */

/** The parts of a JSON Schema that pages show. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string;
  readonly description?: string;
  readonly format?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly anyOf?: readonly Schema[];
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly $defs?: Readonly<Record<string, Schema>>;
}

/** The fields of a mapping as a table. */
export function fieldTable({ properties = {}, required = [] }: Schema): string {
  const rows = Object.entries(properties).map(([field, schema]) => {
    const optional = required.includes(field) ? '' : ' (may be absent)';
    return `| \`${field}\` | ${typeOf(schema)} | ${cell(schema.description ?? '')}${optional} |`;
  });
  return ['| field | type | what it is |', '| --- | --- | --- |', ...rows].join('\n');
}

/** The type of a value in words, with a link to each type that has a heading of its own on the page. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, items, properties, additionalProperties, type, format } = schema;
  if ($ref !== undefined) {
    const name = $ref.split('/').at(-1) ?? '';
    return `[${name}](#${name.toLowerCase()})`;
  }
  if (schema.enum !== undefined) return schema.enum.map((value) => `\`${String(value)}\``).join(', ');
  if (schema.const !== undefined) return schema.const === '' ? 'empty' : `\`${JSON.stringify(schema.const)}\``;
  if (anyOf !== undefined) return anyOf.map(typeOf).join(' or ');
  if (items !== undefined) return `list of ${typeOf(items)}`;
  if (properties !== undefined && Object.keys(properties).length > 0) {
    return Object.entries(properties)
      .map(([name, field]) => `\`${name}\` (${typeOf(field)})`)
      .join(', ');
  }
  if (typeof additionalProperties === 'object') return `by name: ${typeOf(additionalProperties)}`;
  return `${format ?? type ?? 'anything'}${boundsOf(schema)}`;
}

function boundsOf({ type, minLength, maxLength, minimum, maximum }: Schema): string {
  if (type === 'string' && maxLength !== undefined) return `, ${minLength ?? 0} to ${maxLength} characters`;
  // zod bounds every integer by the range of JavaScript, which tells a reader nothing.
  if (minimum !== undefined && maximum !== undefined && maximum < Number.MAX_SAFE_INTEGER)
    return `, ${minimum} to ${maximum}`;
  return '';
}

/** A text as a cell of a table. */
export const cell = (text: string): string => text.replaceAll('|', '\\|').replaceAll('\n', ' ');
