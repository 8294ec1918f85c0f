import type { ObjectValue, Value } from '../values/value.ts';
import type { Resource, VerbContext } from './resource.ts';
import type { Attribute, Schema } from './schema.ts';

/** An object that a list found. */
export interface Listed {
  /** How a person knows it. */
  readonly name: string;
  /** Those of its attributes that identify it, and those that lists are narrowed by. */
  readonly attributes: Readonly<Record<string, Value>>;
}

/** How the objects of a resource are listed, for `terraform query` (1.14 and newer). */
export interface Listing<W> {
  /** The attributes of the resource that narrow a list: objects that have the given values. */
  readonly filters: readonly string[];
  /** @param config what narrows the list, for who reads less by it; others are left out afterwards */
  readonly list: (context: VerbContext<W>, config: ObjectValue) => Promise<readonly Listed[]>;
}

/** What a `list` block's `config` may hold. */
export function listSchemaOf<W>(resource: Resource<W>): Schema {
  const { schema, listing } = resource;
  const attributes = listing.filters.map((name): [string, Attribute] => {
    const { type = 'string', description = '' } = schema.attributes[name] ?? {};
    return [name, { type, presence: 'optional', description: `Only those with this value. ${description}` }];
  });
  return {
    version: 0,
    description: `Lists every ${resource.type} of the workspace.`,
    attributes: Object.fromEntries(attributes),
  };
}
