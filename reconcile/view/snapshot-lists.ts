import type { RoleAssignment, RoleDataSource, RolePerson, Snapshot } from '@rolecall/api';
import type { Connection } from './connection.ts';

/** The lists of a snapshot, as the calls of the specification would answer them, each made when it is asked for. */
export class SnapshotLists {
  /** As the service answered it. */
  readonly snapshot: Snapshot;
  readonly #people: ReadonlyMap<string, Snapshot['people'][number]>;
  readonly #dataSources: ReadonlyMap<string, Snapshot['dataSources'][number]>;
  #rolePeople: Map<string, RolePerson[]> | undefined;
  #roleDataSources: Map<string, RoleDataSource[]> | undefined;
  #personRoles: Map<string, RoleAssignment[]> | undefined;

  constructor(snapshot: Snapshot) {
    this.snapshot = snapshot;
    this.#people = new Map(snapshot.people.map((person) => [person.id, person]));
    this.#dataSources = new Map(snapshot.dataSources.map((dataSource) => [dataSource.id, dataSource]));
  }

  /** The fingerprint of a data source's password; null if it has none. */
  passwordFingerprint(dataSource: string): string | null | undefined {
    return this.#dataSources.get(dataSource)?.passwordFingerprint;
  }

  /** The names of all readings that are here. */
  names(): string[] {
    const { roles, dataSources, snippets } = this.snapshot;
    return [
      ...['people', 'roles', 'dataSources', 'permissions'],
      ...(snippets === undefined ? [] : ['snippets']),
      ...roles.flatMap(({ id }) => [`rolePeople ${id}`, `roleDataSources ${id}`]),
      ...dataSources.map(({ id }) => `connection ${id}`),
    ];
  }

  /** The answer to a reading of the view, by its name; undefined where it is not here. */
  answer(name: string): unknown {
    const [what = '', id = ''] = name.split(' ');
    switch (what) {
      case 'people':
      case 'roles':
      case 'snippets':
        return this.snapshot[what];
      case 'dataSources':
        return this.snapshot.dataSources.map(
          ({ uri: _uri, passwordFingerprint: _fingerprint, passwordMatches: _matches, ...listed }) => listed,
        );
      case 'permissions':
        return this.#permissions();
      case 'rolePeople':
        return (this.#rolePeople ??= this.#indexPeople()).get(id);
      case 'roleDataSources':
        return (this.#roleDataSources ??= this.#indexDataSources()).get(id);
      case 'connection':
        return this.#connection(id);
      default:
        return undefined;
    }
  }

  /** The roles of a person. */
  rolesOf(person: string): readonly RoleAssignment[] {
    return (this.#personRoles ??= this.#indexRoles()).get(person) ?? [];
  }

  #connection(id: string): Connection | undefined {
    const source = this.#dataSources.get(id);
    if (source === undefined) return undefined;
    return { id, uri: source.uri, hasPassword: source.passwordFingerprint !== null };
  }

  #permissions() {
    return this.snapshot.permissions.flatMap(({ personId, dataSourceId, ...permission }) => {
      const [person, dataSource] = [this.#people.get(personId), this.#dataSources.get(dataSourceId)];
      if (person === undefined || dataSource === undefined) return [];
      return [
        {
          ...permission,
          person: { id: person.id, name: person.name, username: person.username, email: person.email },
          dataSource: { id: dataSource.id, name: dataSource.name, alias: dataSource.alias },
        },
      ];
    });
  }

  #indexPeople(): Map<string, RolePerson[]> {
    const lists = new Map<string, RolePerson[]>(this.snapshot.roles.map(({ id }) => [id, []]));
    const windows = Map.groupBy(this.snapshot.roleWindows ?? [], membershipKey);
    for (const membership of this.snapshot.rolePeople) {
      const { roleId, personId, assignedAt } = membership;
      const person = this.#people.get(personId);
      if (person === undefined) continue;
      const { id, username, email, name } = person;
      // Most workspaces have no times of memberships at all.
      const timed = windows.size === 0 ? undefined : windows.get(membershipKey(membership));
      const memberWindows = timed?.map(({ roleId: _role, personId: _person, ...window }) => window);
      lists
        .get(roleId)
        ?.push({ id, username, email, name, assignedAt, ...(memberWindows && { windows: memberWindows }) });
    }
    return lists;
  }

  #indexRoles(): Map<string, RoleAssignment[]> {
    const all = new Map<string, RoleAssignment[]>(this.snapshot.people.map(({ id }) => [id, []]));
    this.#rolePeople ??= this.#indexPeople();
    for (const { id, name } of this.snapshot.roles) {
      for (const { id: person, assignedAt, windows } of this.#rolePeople.get(id) ?? []) {
        all.get(person)?.push({ id, name, assignedAt, ...(windows && { windows }) });
      }
    }
    return all;
  }

  #indexDataSources(): Map<string, RoleDataSource[]> {
    const lists = new Map<string, RoleDataSource[]>(this.snapshot.roles.map(({ id }) => [id, []]));
    for (const { roleId, dataSourceId, assignedAt } of this.snapshot.roleDataSources) {
      const dataSource = this.#dataSources.get(dataSourceId);
      if (dataSource === undefined) continue;
      const { id, name, alias } = dataSource;
      lists.get(roleId)?.push({ id, name, alias, assignedAt });
    }
    return lists;
  }
}

const membershipKey = ({ roleId, personId }: { roleId: string; personId: string }): string => `${roleId} ${personId}`;
