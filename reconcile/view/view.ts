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
  return new WorkspaceView(client, new Map());
}

/** A reading as the service answered it, with the ETag that asks whether it would answer the same again. */
interface KnownReading extends KnownAnswer<unknown> {
  /** In order; absent where something was taken into it since. */
  readonly indexed: unknown;
}

/** The methods are fields, so that they can be handed on without their view. */
class WorkspaceView implements View {
  readonly #client: Caller;
  /** What the service answered to the view before, by name; each is forgotten as it is answered again. */
  readonly #known: Map<string, KnownReading>;
  /** Every reading that was begun, by name. */
  readonly #pending = new Map<string, Promise<unknown>>();
  /** The answers as they came. */
  readonly #raw = new Map<string, unknown>();
  /** The answers in order. */
  readonly #indexed = new Map<string, unknown>();
  /** Readings into which a run's own changes were taken. */
  readonly #taken = new Set<string>();
  readonly #tags = new Map<string, string>();

  constructor(client: Caller, known: Map<string, KnownReading>) {
    this.#client = client;
    this.#known = known;
  }

  readonly people = () => this.#once('people', 'listPeople', {}, indexPeople);
  readonly roles = () => this.#once('roles', 'listRoles', {}, indexRoles);
  readonly dataSources = () => this.#once('dataSources', 'listDataSources', {}, indexDataSources);
  readonly permissions = () => this.#once('permissions', 'listPermissions', {}, indexPermissions);
  readonly snippets = () => this.#once('snippets', 'listSnippets', {}, indexSnippets);
  readonly rolePeople = (role: string) =>
    this.#once(`rolePeople ${role}`, 'listRolePeople', { params: { role } }, indexRolePeople);
  readonly roleDataSources = (role: string) =>
    this.#once(`roleDataSources ${role}`, 'listRoleDataSources', { params: { role } }, indexRoleDataSources);
  readonly dataSourceDetail = (dataSource: string) =>
    this.#once(`dataSourceDetail ${dataSource}`, 'getDataSourceDetail', { params: { dataSource } }, (detail) => detail);
  readonly snippetVersions = (snippet: string) =>
    this.#once(`snippetVersions ${snippet}`, 'listSnippetVersions', { params: { snippet } }, (all) => all);
  readonly personRoles = (person: string) =>
    this.#once(`personRoles ${person}`, 'listPersonRoles', { params: { person } }, (all) => all);

  // Each name is only ever indexed as what Peeked says of it.
  readonly peek = <N extends keyof Peeked>(name: N) => this.#indexed.get(name) as Peeked[N] | undefined;

  readonly drop = (name: string): void => {
    this.#pending.delete(name);
    this.#raw.delete(name);
    this.#indexed.delete(name);
    this.#taken.delete(name);
    this.#tags.delete(name);
  };

  /** What a run's answers are taken into. */
  readonly #kept: KeptReadings = {
    names: () => [...this.#pending.keys()],
    // Each name is only ever indexed as what KeptReadings says of it, here and below.
    peek: (name) => this.#indexed.get(name) as never,
    get: (name) => {
      const reading = this.#indexed.get(name);
      // What is being read at this moment may be older than what is taken in: it is read again.
      if (reading === undefined) this.drop(name);
      else this.#taken.add(name);
      return reading as never;
    },
    set: (name, reading) => {
      this.#pending.set(name, Promise.resolve(reading));
      this.#raw.set(name, reading);
      this.#indexed.set(name, reading);
      this.#taken.add(name);
      this.#tags.delete(name);
    },
    drop: this.drop,
  };

  readonly take: View['take'] = (step, answer, ids) => {
    takeAnswer(this.#kept, step, answer, ids);
  };

  readonly forget: View['forget'] = (step, answer, ids) => {
    const dropped = (name: string): undefined => {
      this.drop(name);
    };
    takeAnswer({ ...this.#kept, get: dropped }, step, answer, ids);
  };

  readonly readings = (): ReadonlyMap<string, unknown> => {
    if (this.#taken.size === 0) return this.#raw;
    return new Map(
      [...this.#raw].map(([name, answer]) => [name, this.#taken.has(name) ? asRead(this.#indexed.get(name)) : answer]),
    );
  };

  readonly renew = async (): Promise<View> => {
    const next = new WorkspaceView(this.#client, this.#answered());
    const names = [...this.#raw.keys()];
    const details = names.filter((name) => name.startsWith('dataSourceDetail '));
    const others = names.filter((name) => !details.includes(name));
    const isUntouched = others.every((name) => this.#tags.has(name) && !this.#taken.has(name));
    if (isUntouched && (await next.#isKnown(others))) return this;
    if (details.length === 0) return next;
    const { byId } = await next.dataSources();
    for (const name of details) {
      const detail = this.#indexed.get(name) as DataSourceDetail;
      if (byId.get(detail.id)?.updatedAt === detail.updatedAt) next.#kept.set(`dataSourceDetail ${detail.id}`, detail);
    }
    return next;
  };

  /** Shares one reading among all who ask; a failed one is forgotten, so that it is tried again by the next who asks. */
  #once<Id extends OperationId, T>(
    name: string,
    operation: Id,
    request: RequestOf<Id>,
    index: (answer: AnswerOf<Id>) => T,
  ): Promise<T> {
    const underWay = this.#pending.get(name);
    // The name says which reading it is, and each name is used with one type only, above.
    if (underWay !== undefined) return underWay as Promise<T>;
    const before = this.#known.get(name) as (KnownAnswer<AnswerOf<Id>> & { readonly indexed?: T }) | undefined;
    let tag: string | undefined;
    const onTag = (told: string): void => {
      tag = told;
    };
    const reading = this.#client.call(operation, request, { known: before, onTag }).then(
      (answer) => {
        const value = (before?.answer === answer ? before.indexed : undefined) ?? index(answer);
        this.#known.delete(name);
        if (this.#pending.get(name) === reading) {
          this.#raw.set(name, answer);
          this.#indexed.set(name, value);
          if (tag !== undefined) this.#tags.set(name, tag);
        }
        return value;
      },
      (error: unknown) => {
        if (this.#pending.get(name) === reading) this.#pending.delete(name);
        throw error;
      },
    );
    this.#pending.set(name, reading);
    return reading;
  }

  /** What the service answered, with the ETags that ask whether it would answer the same again. */
  #answered(): Map<string, KnownReading> {
    const all = new Map<string, KnownReading>();
    for (const [name, tag] of this.#tags) {
      const own = this.#taken.has(name) ? undefined : this.#indexed.get(name);
      all.set(name, { tag, answer: this.#raw.get(name), indexed: own });
    }
    return all;
  }

  /** Whether all of these readings are what was known of them. */
  async #isKnown(names: readonly string[]): Promise<boolean> {
    const reads: Readonly<Record<string, (id: string) => Promise<unknown>>> = {
      people: this.people,
      roles: this.roles,
      dataSources: this.dataSources,
      permissions: this.permissions,
      snippets: this.snippets,
      rolePeople: this.rolePeople,
      roleDataSources: this.roleDataSources,
    };
    const isSame = async (name: string): Promise<boolean> => {
      const [what = '', id = ''] = name.split(' ');
      const before = this.#known.get(name)?.answer;
      await reads[what]?.(id);
      return before !== undefined && this.#raw.get(name) === before;
    };
    // A role that is gone has no members to ask for, so the collections come first.
    for (const isMember of [false, true]) {
      const some = names.filter((name) => name.includes(' ') === isMember);
      if ((await Promise.all(some.map(isSame))).includes(false)) return false;
    }
    return true;
  }
}
