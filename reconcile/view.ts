import type {
  AnswerOf,
  Client,
  DataSource,
  DataSourceDetail,
  ListedSnippetVersion,
  OperationId,
  Permission,
  RequestOf,
  Role,
  RoleAssignment,
  RoleDataSource,
  RolePerson,
} from '@rolecall/api';
import type { Collection } from './collection.ts';
import type { Step } from './step.ts';
import { type KeptReadings, takeAnswer } from './take-answer.ts';
import {
  asRead,
  indexDataSources,
  indexPeople,
  indexPermissions,
  indexRoleDataSources,
  indexRolePeople,
  indexRoles,
  indexSnippets,
  type People,
  type Snippets,
} from './view-indexes.ts';

export type { Collection } from './collection.ts';
export { ownerOf, type People, type Snippets } from './view-indexes.ts';

/** The part of the client that the engine uses. */
export type Caller = Pick<Client, 'call'>;

/** What can be looked at without reading it, by the name of the reading. */
interface Peeked {
  permissions: Collection<Permission>;
  [rolePeople: `rolePeople ${string}`]: Collection<RolePerson>;
  [roleDataSources: `roleDataSources ${string}`]: Collection<RoleDataSource>;
}

/**
 * The workspace as one run sees it. Each collection is read at most once however many ask for it at the same time,
 * and dropped when it is written: reading costs collections, never objects.
 */
export interface View {
  people: () => Promise<People>;
  roles: () => Promise<Collection<Role>>;
  dataSources: () => Promise<Collection<DataSource>>;
  /** By the pair of person and data source. */
  permissions: () => Promise<Collection<Permission>>;
  /** By owner and active name. */
  snippets: () => Promise<Snippets>;
  rolePeople: (roleId: string) => Promise<Collection<RolePerson>>;
  roleDataSources: (roleId: string) => Promise<Collection<RoleDataSource>>;
  dataSourceDetail: (dataSourceId: string) => Promise<DataSourceDetail>;
  snippetVersions: (snippetId: string) => Promise<readonly ListedSnippetVersion[]>;
  /** Forgets a collection that was written. */
  drop: (name: string) => void;
  /**
   * Takes into the view what a step of a run has changed, from its answer, so that nothing of it need be read again. What the
   * answer does not tell is dropped.
   *
   * @param ids what the run has made so far, by the names that steps refer to
   */
  take: (step: Step, answer: unknown, ids: ReadonlyMap<string, string>) => void;
  /**
   * A view of the same workspace that reads anew, without what is known not to have changed: details of data sources whose
   * `updatedAt` is still the one that they were read with, and the readings that are named.
   */
  renew: (without: readonly string[]) => Promise<View>;
  /** The roles that one person is in: for a person who is replaced, cheaper than every role's list. */
  personRoles: (personId: string) => Promise<readonly RoleAssignment[]>;
  /** What has been read so far, by name: the basis of a plan's digest. */
  readings: () => ReadonlyMap<string, unknown>;
  /** A collection that has already been read, or undefined; never reads. */
  peek: <N extends keyof Peeked>(name: N) => Peeked[N] | undefined;
}

/** Opens a view of the workspace that the client reaches; reads nothing yet. */
export function createView(client: Caller): View {
  return openView(client, new Map());
}

/** @param seeds readings that another view had, by name */
function openView(
  client: Caller,
  seeds: ReadonlyMap<string, unknown>,
): View & { seed: (details: ReadonlyMap<string, unknown>) => void } {
  const pending = new Map([...seeds].map(([name, reading]) => [name, Promise.resolve(reading)]));
  const indexed = new Map(seeds);
  const raw = new Map(seeds);
  const taken = new Set(seeds.keys());

  /** Shares one reading among all who ask; a failed one is forgotten, so that a later asker tries again. */
  function once<Id extends OperationId, T>(
    name: string,
    operation: Id,
    request: RequestOf<Id>,
    index: (answer: AnswerOf<Id>) => T,
  ): Promise<T> {
    const known = pending.get(name);
    // The name says which reading it is, and each name is used with one type only, below.
    if (known !== undefined) return known as Promise<T>;
    const reading = client.call(operation, request).then(
      (answer) => {
        const value = index(answer);
        if (pending.get(name) === reading) {
          raw.set(name, answer);
          indexed.set(name, value);
        }
        return value;
      },
      (error: unknown) => {
        if (pending.get(name) === reading) pending.delete(name);
        throw error;
      },
    );
    pending.set(name, reading);
    return reading;
  }

  function drop(name: string): void {
    pending.delete(name);
    raw.delete(name);
    indexed.delete(name);
    taken.delete(name);
  }

  const kept: KeptReadings = {
    names: () => [...indexed.keys()],
    get: (name) => {
      const reading = indexed.get(name);
      // What is being read at this moment may be older than what is taken in: it is read again.
      if (reading === undefined) drop(name);
      else taken.add(name);
      // Each name is only ever indexed as what KeptReadings says of it.
      return reading as never;
    },
    set: (name, reading) => {
      pending.set(name, Promise.resolve(reading));
      raw.set(name, reading);
      indexed.set(name, reading);
      taken.add(name);
    },
    drop,
  };

  /** What was read, and what was taken in since. */
  function readings(): ReadonlyMap<string, unknown> {
    if (taken.size === 0) return raw;
    return new Map([...raw].map(([name, answer]) => [name, taken.has(name) ? asRead(indexed.get(name)) : answer]));
  }

  return {
    people: () => once('people', 'listPeople', {}, indexPeople),
    roles: () => once('roles', 'listRoles', {}, indexRoles),
    dataSources: () => once('dataSources', 'listDataSources', {}, indexDataSources),
    permissions: () => once('permissions', 'listPermissions', {}, indexPermissions),
    snippets: () => once('snippets', 'listSnippets', {}, indexSnippets),
    rolePeople: (role) => once(`rolePeople ${role}`, 'listRolePeople', { params: { role } }, indexRolePeople),
    roleDataSources: (role) =>
      once(`roleDataSources ${role}`, 'listRoleDataSources', { params: { role } }, indexRoleDataSources),
    dataSourceDetail: (dataSource) =>
      once(`dataSourceDetail ${dataSource}`, 'getDataSourceDetail', { params: { dataSource } }, (detail) => detail),
    snippetVersions: (snippet) =>
      once(`snippetVersions ${snippet}`, 'listSnippetVersions', { params: { snippet } }, (all) => all),
    personRoles: (person) => once(`personRoles ${person}`, 'listPersonRoles', { params: { person } }, (all) => all),
    drop,
    take: (step, answer, ids) => {
      takeAnswer(kept, step, answer, ids);
    },
    readings,
    renew: async (without) => {
      const named = new Map(without.flatMap((name) => (indexed.has(name) ? [[name, indexed.get(name)] as const] : [])));
      const details = [...indexed.keys()].filter((name) => name.startsWith('dataSourceDetail '));
      const next = openView(client, named);
      if (details.length === 0) return next;
      const { byId } = await next.dataSources();
      const current = details.filter((name) => {
        const { id, updatedAt } = indexed.get(name) as DataSourceDetail;
        return byId.get(id)?.updatedAt === updatedAt;
      });
      next.seed(new Map(current.map((name) => [name, indexed.get(name)])));
      return next;
    },
    seed: (more) => {
      for (const [name, reading] of more) kept.set(name as `dataSourceDetail ${string}`, reading as DataSourceDetail);
    },
    // Each name is only ever indexed as what Peeked says of it.
    peek: (name) => indexed.get(name) as never,
  };
}
