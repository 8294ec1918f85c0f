import type {
  AnswerOf,
  Client,
  DataSource,
  DataSourceDetail,
  KnownAnswer,
  ListedSnippetVersion,
  OperationId,
  Permission,
  RequestOf,
  Role,
  RoleAssignment,
  RoleDataSource,
  RolePerson,
} from '@rolecall/api';
import type { Step } from '../model/step.ts';
import {
  asRead,
  type Collection,
  indexDataSources,
  indexPeople,
  indexPermissions,
  indexRoleDataSources,
  indexRolePeople,
  indexRoles,
  indexSnippets,
  type People,
  type Snippets,
} from './collection.ts';
import { type KeptReadings, takeAnswer } from './take-answer.ts';

export type { Collection, People, Snippets } from './collection.ts';

/** The part of the client that the engine uses. */
export type Caller = Pick<Client, 'call'>;

/** What can be looked at without reading it, by the name of the reading. */
interface Peeked {
  people: People;
  roles: Collection<Role>;
  dataSources: Collection<DataSource>;
  permissions: Collection<Permission>;
  snippets: Snippets;
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
   * Forgets what a step of a run has changed, so that the next reader reads it again. Collections that were handed out stay as
   * they were.
   */
  forget: (step: Step, answer: unknown, ids: ReadonlyMap<string, string>) => void;
  /**
   * Reads again what was read, without the details of data sources whose `updatedAt` is still the one that they were read with.
   *
   * @returns this very view where the service says, by ETags, that all of it is as it was read, and nothing was taken in since;
   *   else another one, which reads anew what it has not read yet
   */
  renew: () => Promise<View>;
  /** The roles that one person is in: for a person who is replaced, cheaper than every role's list. */
  personRoles: (personId: string) => Promise<readonly RoleAssignment[]>;
  /** What has been read so far, by name: the basis of a plan's digest. */
  readings: () => ReadonlyMap<string, unknown>;
  /** A collection that has already been read, or undefined; never reads. */
  peek: <N extends keyof Peeked>(name: N) => Peeked[N] | undefined;
}

/** Opens a view of the workspace that the client reaches; reads nothing yet. */
export function createView(client: Caller): View {
  return openView(client, new Map(), new Map());
}

/** A reading as the service answered it, by which it says whether it would answer the same again. */
interface Known extends KnownAnswer<unknown> {
  /** In order, where nothing was taken in. */
  readonly indexed: unknown;
}

interface OpenView extends View {
  readonly seed: (details: ReadonlyMap<string, unknown>) => void;
  /** @returns whether all of these readings are what was known of them */
  readonly isKnown: (names: readonly string[]) => Promise<boolean>;
}

/**
 * @param seeds readings that another view had, by name
 * @param known what the service answered to another view, by name; let go of as it is answered again
 */
function openView(client: Caller, seeds: ReadonlyMap<string, unknown>, known: Map<string, Known>): OpenView {
  const pending = new Map([...seeds].map(([name, reading]) => [name, Promise.resolve(reading)]));
  const indexed = new Map(seeds);
  const raw = new Map(seeds);
  const taken = new Set(seeds.keys());
  const tags = new Map<string, string>();

  /** Shares one reading among all who ask; a failed one is forgotten, so that a later asker tries again. */
  function once<Id extends OperationId, T>(
    name: string,
    operation: Id,
    request: RequestOf<Id>,
    index: (answer: AnswerOf<Id>) => T,
  ): Promise<T> {
    const underWay = pending.get(name);
    // The name says which reading it is, and each name is used with one type only, below.
    if (underWay !== undefined) return underWay as Promise<T>;
    const before = known.get(name) as (KnownAnswer<AnswerOf<Id>> & { readonly indexed: T | undefined }) | undefined;
    let tag: string | undefined;
    const onTag = (told: string): void => {
      tag = told;
    };
    const reading = client.call(operation, request, { known: before, onTag }).then(
      (answer) => {
        const value = (before?.answer === answer ? before.indexed : undefined) ?? index(answer);
        known.delete(name);
        if (pending.get(name) === reading) {
          raw.set(name, answer);
          indexed.set(name, value);
          if (tag !== undefined) tags.set(name, tag);
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
    tags.delete(name);
  }

  const kept: KeptReadings = {
    names: () => [...pending.keys()],
    // Each name is only ever indexed as what KeptReadings says of it.
    peek: (name) => indexed.get(name) as never,
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
      tags.delete(name);
    },
    drop,
  };

  /** What was read, and what was taken in since. */
  function readings(): ReadonlyMap<string, unknown> {
    if (taken.size === 0) return raw;
    return new Map([...raw].map(([name, answer]) => [name, taken.has(name) ? asRead(indexed.get(name)) : answer]));
  }

  /** What the service answered, with what it can be asked by whether that is still so. */
  function answered(): Map<string, Known> {
    const all = new Map<string, Known>();
    for (const [name, tag] of tags) {
      const own = taken.has(name) ? undefined : indexed.get(name);
      all.set(name, { tag, answer: raw.get(name), indexed: own });
    }
    return all;
  }

  const view: OpenView = {
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
    forget: (step, answer, ids) => {
      const dropped = (name: string): undefined => {
        drop(name);
      };
      takeAnswer({ ...kept, get: dropped }, step, answer, ids);
    },
    readings,
    renew: async () => {
      const next = openView(client, new Map(), answered());
      const names = [...raw.keys()];
      const details = names.filter((name) => name.startsWith('dataSourceDetail '));
      const others = names.filter((name) => !details.includes(name));
      if (others.every((name) => tags.has(name) && !taken.has(name)) && (await next.isKnown(others))) return view;
      if (details.length === 0) return next;
      const { byId } = await next.dataSources();
      const current = details.filter((name) => {
        const { id, updatedAt } = indexed.get(name) as DataSourceDetail;
        return byId.get(id)?.updatedAt === updatedAt;
      });
      next.seed(new Map(current.map((name) => [name, indexed.get(name)])));
      return next;
    },
    isKnown: async (names) => {
      const reads: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
        people: view.people,
        roles: view.roles,
        dataSources: view.dataSources,
        permissions: view.permissions,
        snippets: view.snippets,
        rolePeople: view.rolePeople,
        roleDataSources: view.roleDataSources,
      };
      const isSame = async (name: string): Promise<boolean> => {
        const [what = '', id = ''] = name.split(' ');
        const before = known.get(name)?.answer;
        await reads[what]?.(id);
        return before !== undefined && raw.get(name) === before;
      };
      // Roles that are gone have no members to ask for: which there are comes first.
      for (const isMember of [false, true]) {
        const some = names.filter((name) => name.includes(' ') === isMember);
        if ((await Promise.all(some.map(isSame))).includes(false)) return false;
      }
      return true;
    },
    seed: (more) => {
      for (const [name, reading] of more) kept.set(name as `dataSourceDetail ${string}`, reading as DataSourceDetail);
    },
    // Each name is only ever indexed as what Peeked says of it.
    peek: (name) => indexed.get(name) as never,
  };
  return view;
}
