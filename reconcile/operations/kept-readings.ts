import type { DataSource, Permission, Role, RoleDataSource, RolePerson } from '@rolecall/api';
import type { Kept, KeptPeople, KeptSnippets } from '../view/collection.ts';
import type { Connection } from '../view/connection.ts';

/** Readings of a view, by name. */
interface Readings {
  people: KeptPeople;
  roles: Kept<Role>;
  dataSources: Kept<DataSource>;
  permissions: Kept<Permission>;
  snippets: KeptSnippets;
  [rolePeople: `rolePeople ${string}`]: Kept<RolePerson>;
  [roleDataSources: `roleDataSources ${string}`]: Kept<RoleDataSource>;
  [connection: `connection ${string}`]: Connection;
}

export interface KeptReadings {
  readonly names: () => Iterable<string>;
  /** Returns a reading, to be changed; undefined if there is none, which then is read anew. */
  readonly get: <N extends keyof Readings>(name: N) => Readings[N] | undefined;
  /** Returns a reading, only to look something up in it. */
  readonly peek: <N extends keyof Readings>(name: N) => Readings[N] | undefined;
  readonly set: <N extends keyof Readings>(name: N, reading: Readings[N]) => void;
  readonly drop: (name: string) => void;
  /** @param password undefined: it has none */
  readonly setPassword: (dataSource: string, password: string | undefined) => void;
}

/** The lists of the members of all roles that were read, to be changed. */
export function* memberLists<L extends 'rolePeople' | 'roleDataSources'>(
  kept: KeptReadings,
  list: L,
): Generator<Readings[`${L} ${string}`]> {
  for (const name of kept.names()) {
    // The prefix says which list it is.
    const members = name.startsWith(`${list} `) ? kept.get(name as `${L} ${string}`) : undefined;
    if (members !== undefined) yield members;
  }
}

/** Drops the roles of each person: whose have changed is not known. */
export function dropRolesOfPeople(kept: KeptReadings): void {
  for (const name of kept.names()) if (name.startsWith('personRoles ')) kept.drop(name);
}
