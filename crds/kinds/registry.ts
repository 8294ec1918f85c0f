import { dataSource } from './data-source.ts';
import type { DefinitionOf, KindName, Specs } from './definition.ts';
import type { Identity, KeyOf, Kind, Reference } from './kind.ts';
import { permission } from './permission.ts';
import { person } from './person.ts';
import { role } from './role.ts';
import { roleMembership } from './role-membership.ts';
import { snippet } from './snippet.ts';
import { workspace } from './workspace.ts';

/** All kinds by name. */
export const kinds: { readonly [K in KindName]: Kind<K, Specs[K]> } = {
  Workspace: workspace,
  DataSource: dataSource,
  Person: person,
  Role: role,
  RoleMembership: roleMembership,
  Permission: permission,
  Snippet: snippet,
};

export const kindNames = Object.keys(kinds) as readonly KindName[];

/** True if a text is the name of a kind. */
export function isKindName(text: unknown): text is KindName {
  return typeof text === 'string' && Object.hasOwn(kinds, text);
}

/** The references of a definition, each with its path from the spec. */
export function referencesOf<K extends KindName>({ kind, spec }: DefinitionOf<K>): readonly Reference[] {
  return kinds[kind].references(spec);
}

/** Returns the values of a definition that are unique in its workspace, the natural key first. */
export function identitiesOf<K extends KindName>({ kind, spec }: DefinitionOf<K>, keyOf: KeyOf): readonly Identity[] {
  return kinds[kind].identities(spec, keyOf);
}
