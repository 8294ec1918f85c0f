/** How each reading of a workspace is put in order. */

import type { DataSource, ListedSnippet, Permission, Person, Role, RoleDataSource, RolePerson } from '@rolecall/api';
import {
  dataSourceKey,
  emailKey,
  ownerOf,
  pairKey,
  personKey,
  roleKey,
  snippetKey,
  snippetNameKey,
} from '../model/keys.ts';
import { type Collection, collect, indexBy, type Kept } from './collection.ts';

export interface People extends Collection<Person> {
  readonly byEmail: ReadonlyMap<string, readonly Person[]>;
}

export interface Snippets extends Collection<ListedSnippet> {
  /** By active name, whoever owns them. */
  readonly byName: ReadonlyMap<string, readonly ListedSnippet[]>;
}

export type KeptPeople = People & Kept<Person>;
export type KeptSnippets = Snippets & Kept<ListedSnippet>;

export function indexPeople(all: readonly Person[]): KeptPeople {
  const byEmail = indexBy<Person>(({ email }) => emailKey(email));
  // Not a copy: the collection changes by what is taken in.
  return Object.assign(
    collect(all, ({ username }) => personKey(username), [byEmail]),
    { byEmail: byEmail.objects },
  );
}

export const indexRoles = (all: readonly Role[]): Kept<Role> => collect(all, ({ name }) => roleKey(name));

const aliasOf = ({ alias }: { readonly alias: string | null }): string | undefined =>
  alias === null ? undefined : dataSourceKey(alias);

export const indexDataSources = (all: readonly DataSource[]): Kept<DataSource> => collect(all, aliasOf);

export const indexPermissions = (all: readonly Permission[]): Kept<Permission> =>
  collect(all, ({ person, dataSource }) => pairKey(person.id, dataSource.id));

export const indexRolePeople = (all: readonly RolePerson[]): Kept<RolePerson> =>
  collect(all, ({ username }) => personKey(username));

export const indexRoleDataSources = (all: readonly RoleDataSource[]): Kept<RoleDataSource> => collect(all, aliasOf);

export function indexSnippets(all: readonly ListedSnippet[]): KeptSnippets {
  const byName = indexBy<ListedSnippet>(({ activeVersion }) => snippetNameKey(activeVersion.name));
  // Not a copy: the collection changes by what is taken in.
  return Object.assign(
    collect(all, (snippet) => snippetKey(ownerOf(snippet), snippet.activeVersion.name), [byName]),
    { byName: byName.objects },
  );
}

/** A reading as the service would answer it, from what is kept of it. */
export function asRead(kept: unknown): unknown {
  if (typeof kept !== 'object' || kept === null || !('all' in kept)) return kept;
  // Only collections have `all`.
  return (kept as Collection<unknown>).all;
}
