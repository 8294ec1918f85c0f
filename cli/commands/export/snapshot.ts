import {
  type ConnectionUri,
  ConnectionUriError,
  type DataSource,
  type ListedSnippet,
  type MembershipWindow,
  type Permission,
  type Person,
  ProblemError,
  type Role,
  readConnectionUri,
} from '@rolecall/api';
import type { View } from '@rolecall/reconcile';
import { CliError } from '../../errors.ts';

/** A workspace as it was read once. References between objects are ids, and each leads to an object that is here. */
export interface Snapshot {
  people: readonly Person[];
  dataSources: readonly DataSource[];
  /** By the id of the data source; undefined if the key may not read them. */
  connections: ReadonlyMap<string, Connection> | undefined;
  roles: readonly SnapshotRole[];
  permissions: readonly Permission[];
  snippets: readonly ListedSnippet[];
}

export interface SnapshotRole extends Role {
  /** Ids of people who have the role always. */
  people: readonly string[];
  /** The times of those who have it only then. */
  turns: readonly { person: string; window: MembershipWindow }[];
  /** Ids of data sources. */
  dataSources: readonly string[];
}

/** Connection to a database, without its password; or the reason why it cannot be written. */
export type Connection = { uri: Omit<ConnectionUri, 'password'>; hasPassword: boolean } | { fault: string };

/**
 * Reads a whole workspace: in one call, or by one LIST a collection, two a role, and the details of each data source.
 *
 * @throws CliError where an object refers to one that came or went while it was read; the client's errors
 */
export async function readSnapshot(view: View): Promise<Snapshot> {
  view.expect({ snippets: true, passwords: new Map() });
  const [people, dataSources, permissions, snippets, roles] = await Promise.all([
    view.people(),
    view.dataSources(),
    view.permissions(),
    view.snippets(),
    view.roles(),
  ]);
  const [connections, members] = await Promise.all([
    readConnections(dataSources.all, view),
    Promise.all(roles.all.map((role) => readRole(role, view))),
  ]);
  const snapshot = {
    people: people.all,
    dataSources: dataSources.all,
    connections,
    roles: members,
    permissions: permissions.all,
    snippets: snippets.all,
  };
  failIfTorn(snapshot);
  return snapshot;
}

async function readRole(role: Role, view: View): Promise<SnapshotRole> {
  const [people, dataSources] = await Promise.all([view.rolePeople(role.id), view.roleDataSources(role.id)]);
  return {
    ...role,
    people: people.all.flatMap(({ id, windows }) => (windows === undefined ? [id] : [])),
    turns: people.all.flatMap(({ id, windows = [] }) => windows.map((window) => ({ person: id, window }))),
    dataSources: dataSources.all.map(({ id }) => id),
  };
}

/** The first detail shows whether the key may read any. If not, the others are not requested. */
async function readConnections(all: readonly DataSource[], view: View): Promise<Snapshot['connections']> {
  const [first, ...others] = all;
  if (first === undefined) return new Map();
  const read = async ({ id }: DataSource) => [id, await readConnection(id, view)] as const;
  try {
    const firstRead = await read(first);
    return new Map([firstRead, ...(await Promise.all(others.map(read)))]);
  } catch (error) {
    if (error instanceof ProblemError && error.problem === 'insufficient_scope') return undefined;
    throw error;
  }
}

async function readConnection(id: string, view: View): Promise<Connection> {
  try {
    const { uri, hasPassword } = await view.connection(id);
    return { uri: readConnectionUri(uri), hasPassword };
  } catch (error) {
    if (!(error instanceof ConnectionUriError)) throw error;
    return { fault: `its connection URI ${error.message}` };
  }
}

/** Lists are read one after another: what came in between would be missing in one of them, and be removed by a plan. */
function failIfTorn({ people, dataSources, roles, permissions, snippets }: Snapshot): void {
  const ids = new Set([...people, ...dataSources, ...roles].map(({ id }) => id));
  const referred = [
    ...roles.flatMap((role) => [...role.people, ...role.turns.map(({ person }) => person), ...role.dataSources]),
    ...permissions.flatMap(({ person, dataSource }) => [person.id, dataSource.id]),
    ...snippets.flatMap(({ ownerPerson, ownerRole }) => [ownerPerson?.id, ownerRole?.id]),
  ];
  if (referred.every((id) => id === undefined || ids.has(id))) return;
  throw new CliError(
    'ERR_WORKSPACE_CHANGED',
    'the workspace changed while it was read, so nothing was written: run the command again',
  );
}
