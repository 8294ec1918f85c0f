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

/** A collection as it was read, with its objects by id and by natural key (several where the key is not unique). */
export interface Collection<T> {
  readonly all: readonly T[];
  readonly byId: ReadonlyMap<string, T>;
  readonly byKey: ReadonlyMap<string, readonly T[]>;
}

/** A collection into which what was written since can be taken, so that it need not be read again. */
export interface Kept<T> extends Collection<T> {
  /** Adds an object, or takes it as it is now. */
  readonly put: (object: T) => void;
  readonly remove: (id: string) => void;
}

/** One more way to look for objects; what has no key is not in it. */
export interface Index<T> {
  readonly keyOf: (object: T) => string | undefined;
  readonly objects: Map<string, T[]>;
}

/** Makes an index for `collect` to keep. */
function indexBy<T>(keyOf: Index<T>['keyOf']): Index<T> {
  return { keyOf, objects: new Map() };
}

/**
 * Puts what was read in order.
 *
 * @param keyOf the natural key
 * @param others more indexes, which are kept in step
 */
function collect<T extends { id: string }>(
  read: readonly T[],
  keyOf: Index<T>['keyOf'],
  others: readonly Index<T>[] = [],
): Kept<T> {
  const byId = new Map<string, T>();
  const natural = indexBy(keyOf);
  const indexes = [natural, ...others];
  let all: readonly T[] | undefined = read;
  const add = (object: T): void => {
    byId.set(object.id, object);
    for (const index of indexes) enter(index, object);
  };
  const remove = (id: string): void => {
    const object = byId.get(id);
    if (object === undefined) return;
    byId.delete(id);
    for (const index of indexes) leave(index, object);
    all = undefined;
  };
  for (const object of read) add(object);
  return {
    get all() {
      return (all ??= [...byId.values()]);
    },
    byId,
    byKey: natural.objects,
    put: (object) => {
      remove(object.id);
      add(object);
      all = undefined;
    },
    remove,
  };
}

function enter<T>({ keyOf, objects }: Index<T>, object: T): void {
  const key = keyOf(object);
  if (key === undefined) return;
  const candidates = objects.get(key);
  if (candidates === undefined) objects.set(key, [object]);
  else candidates.push(object);
}

function leave<T extends { id: string }>({ keyOf, objects }: Index<T>, object: T): void {
  const key = keyOf(object);
  if (key === undefined) return;
  const rest = (objects.get(key) ?? []).filter(({ id }) => id !== object.id);
  if (rest.length === 0) objects.delete(key);
  else objects.set(key, rest);
}

export interface People extends Collection<Person> {
  readonly byEmail: ReadonlyMap<string, readonly Person[]>;
}

export interface Snippets extends Collection<ListedSnippet> {
  /** By active name, of all owners. */
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
