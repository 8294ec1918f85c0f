import type { Resource } from './resource.ts';
import { type Attribute, optional, type Schema } from './schema.ts';

/** The part of an attribute that filters take over from it. */
export type Described = Pick<Attribute, 'type' | 'description' | 'check'>;

/** The schema of a `list` block's `config`. */
export function listSchemaOf<W>({ type, schema, listing }: Resource<W>): Schema {
  return {
    version: 0,
    description: `Lists every ${type} of the workspace.`,
    attributes: filterAttributes(schema.attributes, listing.filters),
  };
}

/** Attributes of a configuration that narrow what a list or data source gives. */
export function filterAttributes(
  attributes: Readonly<Record<string, Described>>,
  filters: readonly string[],
): Record<string, Attribute> {
  return Object.fromEntries(
    filters.map((name) => {
      const { type = 'string', description = '', check } = attributes[name] ?? {};
      // Left out, a filter lets everything through: the attribute's default is not its own.
      const meaning = description.replace(/ Default: [^]*$/, '');
      return [name, optional(type, `Only those with this value. ${meaning}`, check)];
    }),
  );
}
