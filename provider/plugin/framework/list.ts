import type { Resource } from './resource.ts';
import type { Attribute, Schema } from './schema.ts';

/** What a `list` block's `config` may hold. */
export function listSchemaOf<W>(resource: Resource<W>): Schema {
  const { schema, listing } = resource;
  const attributes = listing.filters.map((name): [string, Attribute] => {
    const { type = 'string', description = '', check } = schema.attributes[name] ?? {};
    // Left out, a filter lets everything through: the resource's default is not its own.
    const meaning = description.replace(/ Default: [^]*$/, '');
    const filter: Attribute = { type, presence: 'optional', description: `Only those with this value. ${meaning}` };
    return [name, check === undefined ? filter : { ...filter, check }];
  });
  return {
    version: 0,
    description: `Lists every ${resource.type} of the workspace.`,
    attributes: Object.fromEntries(attributes),
  };
}
