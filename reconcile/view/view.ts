import {
  type Client,
  type DataSource,
  type DataSourceDetail,
  type KnownAnswer,
  type ListedSnippetVersion,
  type OperationId,
  type Permission,
  ProblemError,
  type RequestOf,
  type Role,
  type RoleAssignment,
  type RoleDataSource,
  type RolePerson,
  readConnectionUri,
  type Snapshot,
  UnexpectedAnswerError,
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
import { type Connection, splitConnection } from './connection.ts';
import { gatherMembers, type MemberList } from './member-lists.ts';
import { PasswordComparisons } from './password-comparisons.ts';
import { SnapshotLists } from './snapshot-lists.ts';
import { type KeptReadings, takeAnswer } from './take-answer.ts';

export type { Collection, People, Snippets } from './collection.ts';
export type { Connection } from './connection.ts';

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
  /** With the password, and so never from a snapshot; for a caller that needs it. */
  dataSourceDetail: (dataSourceId: string) => Promise<DataSourceDetail>;
  connection: (dataSourceId: string) => Promise<Connection>;
  /** Whether the service begins and ends memberships at their times by itself. */
  keepsTimes: () => Promise<boolean>;
  /** Whether connections that were read are as they were written: a service without snapshots may append parameters of its own. */
  isAsWritten: () => boolean;
  /** Whether a data source has this password; undefined where the service does not say. */
  isPassword: (dataSourceId: string, password: string) => Promise<boolean | undefined>;
  /** Whether a data source has a password. Unlike `connection`, no plan is made from it. */
  hasPassword: (dataSourceId: string) => Promise<boolean>;
  snippetVersions: (snippetId: string) => Promise<readonly ListedSnippetVersion[]>;
  /** The roles that one person is in. */
  personRoles: (personId: string) => Promise<readonly RoleAssignment[]>;
  /** Says what will be asked, so that one call can answer it all. Without effect once something was read. */
  expect: (needs: Needs) => void;
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
   * Reads again what was read, without the connections of data sources whose `updatedAt` is still the one that they were read with.
   *
   * @returns this very view where the service says, by ETags, that all of it is as it was read, and nothing was taken in since;
   *   else another one, which reads anew what it has not read yet
   */
  renew: () => Promise<View>;
  /** What was asked so far, by name: the basis of a plan's digest. */
  readings: () => ReadonlyMap<string, unknown>;
  /** A collection that was asked for and has been read, or undefined; never reads. */
  peek: <N extends keyof Peeked>(name: N) => Peeked[N] | undefined;
}

/** What a plan will ask of a view. */
export interface Needs {
  readonly snippets: boolean;
  /** Passwords that will be compared, by the alias of the data source. */
  readonly passwords: ReadonlyMap<string, string>;
}

export interface ViewOptions {
  /**
   * Reads the whole workspace with the first reading, in one call, where the service has that call. Else each list is read when it is
   * asked for.
   */
  readonly isWhole?: boolean;
}

/** Opens a view of the workspace that the client reaches; reads nothing yet. */
export function createView(client: Caller, { isWhole = false }: ViewOptions = {}): View {
  return new WorkspaceView(client, isWhole);
}

/** A reading as the service answered it, with the ETag that asks whether it would answer the same again. */
interface KnownReading extends KnownAnswer<unknown> {
  /** In order; absent where something was taken into it since. */
  readonly indexed: unknown;
}

/** How the answer to each reading is put in order; others stay as they are. Each name is used with one type only. */
const indexes: Readonly<Record<string, (answer: never) => unknown>> = {
  people: indexPeople,
  roles: indexRoles,
  dataSources: indexDataSources,
  permissions: indexPermissions,
  snippets: indexSnippets,
  rolePeople: indexRolePeople,
  roleDataSources: indexRoleDataSources,
};

/** The methods are fields, so that they can be handed on without their view. */
class WorkspaceView implements View {
  readonly #client: Caller;
  /** What the service answered to the view before, by name; each is forgotten as it is answered again. */
  readonly #known = new Map<string, KnownReading>();
  /** Every reading that was begun, by name. */
  readonly #pending = new Map<string, Promise<unknown>>();
  /** The answers as they came. */
  readonly #raw = new Map<string, unknown>();
  /** The answers in order. */
  readonly #indexed = new Map<string, unknown>();
  /** Readings into which a run's own changes were taken. */
  readonly #taken = new Set<string>();
  readonly #tags = new Map<string, string>();
  /** What was asked for: a snapshot has more. */
  readonly #asked = new Set<string>();
  /** Readings that were dropped, for which a snapshot is out of date. */
  readonly #dropped = new Set<string>();
  /** Passwords that are known, by the id of the data source: from its detail, or since this process has set them. */
  readonly #passwords = new Map<string, string | undefined>();
  #comparisons = new PasswordComparisons();
  #needs: Needs = { snippets: false, passwords: new Map() };
  /** Whether to ask the service for a snapshot; false once it has none. */
  #isWhole: boolean;
  #snapshot: Promise<SnapshotLists | undefined> | undefined;
  #lists: SnapshotLists | undefined;
  #snapshotTag: string | undefined;
  #knownSnapshot: KnownAnswer<Snapshot> | undefined;
  /** Passwords to be compared in the next turn, by alias. */
  readonly #unexpected = new Map<string, string>();
  #comparing: Promise<void> | undefined;
  /** Member lists that are not called for yet, to be read by roles or by members. */
  readonly #members: Readonly<Record<MemberList, ReturnType<typeof gatherMembers>>>;

  constructor(client: Caller, isWhole: boolean) {
    this.#client = client;
    this.#isWhole = isWhole;
    this.#members = {
      rolePeople: gatherMembers('rolePeople', this.#memberSource),
      roleDataSources: gatherMembers('roleDataSources', this.#memberSource),
    };
  }

  readonly people = () => this.#once<People>('people', () => this.#list('people', 'listPeople', {}));
  readonly roles = () => this.#once<Collection<Role>>('roles', () => this.#list('roles', 'listRoles', {}));
  readonly dataSources = () =>
    this.#once<Collection<DataSource>>('dataSources', () => this.#list('dataSources', 'listDataSources', {}));
  readonly permissions = () =>
    this.#once<Collection<Permission>>('permissions', () => this.#list('permissions', 'listPermissions', {}));
  readonly snippets = () => this.#once<Snippets>('snippets', () => this.#list('snippets', 'listSnippets', {}));
  readonly rolePeople = (role: string) =>
    this.#once<Collection<RolePerson>>(`rolePeople ${role}`, () => this.#members.rolePeople(role));
  readonly roleDataSources = (role: string) =>
    this.#once<Collection<RoleDataSource>>(`roleDataSources ${role}`, () => this.#members.roleDataSources(role));
  readonly snippetVersions = (snippet: string) =>
    this.#once<readonly ListedSnippetVersion[]>(`snippetVersions ${snippet}`, () =>
      this.#list(`snippetVersions ${snippet}`, 'listSnippetVersions', { params: { snippet } }),
    );
  readonly personRoles = (person: string) =>
    this.#once<readonly RoleAssignment[]>(
      `personRoles ${person}`,
      async () =>
        this.#rolesByLists(person) ?? this.#list(`personRoles ${person}`, 'listPersonRoles', { params: { person } }),
    );
  readonly dataSourceDetail = (dataSource: string) =>
    this.#once<DataSourceDetail>(`dataSourceDetail ${dataSource}`, () =>
      this.#client.call('getDataSourceDetail', { params: { dataSource } }),
    );
  readonly connection = (dataSource: string) =>
    this.#once<Connection>(`connection ${dataSource}`, async () => {
      const { connection, password } = splitConnection(
        await this.#client.call('getDataSourceDetail', { params: { dataSource } }),
      );
      this.#passwords.set(dataSource, password);
      return connection;
    });

  readonly isPassword = async (dataSource: string, password: string): Promise<boolean | undefined> => {
    await this.connection(dataSource);
    if (this.#passwords.has(dataSource)) return this.#passwords.get(dataSource) === password;
    const find = () => this.#comparisons.find(dataSource, password, this.#lists?.passwordFingerprint(dataSource));
    if (find() === undefined) await this.#compare(dataSource, password);
    return find()?.matches ?? this.#isPasswordOfDetail(dataSource, password);
  };

  readonly hasPassword = async (dataSource: string): Promise<boolean> => {
    await this.#readSnapshot();
    const known = this.#find(`connection ${dataSource}`) as Connection | undefined;
    if (known !== undefined) return known.hasPassword;
    const { configUri } = await this.#client.call('getDataSourceDetail', { params: { dataSource } });
    return readConnectionUri(configUri).password !== undefined;
  };

  readonly keepsTimes = async (): Promise<boolean> => (await this.#readSnapshot())?.snapshot.roleWindows !== undefined;

  readonly isAsWritten = (): boolean => this.#lists !== undefined;

  readonly expect = (needs: Needs): void => {
    this.#needs = needs;
  };

  readonly peek = <N extends keyof Peeked>(name: N) =>
    // Each name is only ever indexed as what Peeked says of it.
    (this.#asked.has(name) ? this.#indexed.get(name) : undefined) as Peeked[N] | undefined;

  readonly drop = (name: string): void => {
    for (const all of [this.#pending, this.#raw, this.#indexed, this.#taken, this.#tags, this.#asked]) all.delete(name);
    this.#dropped.add(name);
  };

  /** What a run's answers are taken into. */
  readonly #kept: KeptReadings = {
    names: () => new Set([...this.#pending.keys(), ...(this.#lists?.names() ?? [])]),
    // Each name is only ever indexed as what KeptReadings says of it, here and below.
    peek: (name) => this.#find(name) as never,
    get: (name) => {
      const reading = this.#find(name);
      // What is being read at this moment may be older than what is taken in: it is read again.
      if (reading === undefined) this.drop(name);
      else this.#taken.add(name);
      return reading as never;
    },
    set: (name, reading) => {
      this.#set(name, reading);
      this.#asked.add(name);
      this.#taken.add(name);
      this.#tags.delete(name);
    },
    drop: this.drop,
    setPassword: (dataSource, password) => {
      this.#passwords.set(dataSource, password);
      this.#comparisons.forget(dataSource);
    },
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

  readonly readings = (): ReadonlyMap<string, unknown> =>
    new Map(
      [...this.#asked]
        .filter((name) => this.#raw.has(name))
        .map((name) => [name, this.#taken.has(name) ? asRead(this.#indexed.get(name)) : this.#raw.get(name)]),
    );

  readonly renew = async (): Promise<View> => {
    const next = new WorkspaceView(this.#client, this.#isWhole);
    next.#comparisons = new PasswordComparisons(this.#comparisons);
    return this.#lists === undefined ? this.#renewLists(next) : this.#renewSnapshot(next, this.#lists);
  };

  async #renewSnapshot(next: WorkspaceView, lists: SnapshotLists): Promise<View> {
    next.#needs = { snippets: this.#asked.has('snippets'), passwords: new Map() };
    const isSame = (lists.snapshot.snippets !== undefined) === next.#needs.snippets;
    if (isSame && this.#snapshotTag !== undefined) {
      next.#knownSnapshot = { tag: this.#snapshotTag, answer: lists.snapshot };
    }
    const read = await next.#readSnapshot();
    const isUntouched = this.#taken.size === 0 && this.#dropped.size === 0;
    const isOfSnapshot = (name: string) => name.startsWith('personRoles ') || lists.answer(name) !== undefined;
    if (read?.snapshot === lists.snapshot && isUntouched && [...this.#asked].every(isOfSnapshot)) return this;
    this.#handOn(next, [...this.#passwords.keys()]);
    return next;
  }

  async #renewLists(next: WorkspaceView): Promise<View> {
    for (const [name, reading] of this.#answered()) next.#known.set(name, reading);
    const names = [...this.#asked].filter((name) => this.#raw.has(name));
    const connections = names.filter((name) => name.startsWith('connection '));
    const others = names.filter((name) => !connections.includes(name));
    const isUntouched = others.every((name) => this.#tags.has(name) && !this.#taken.has(name));
    if (isUntouched && (await next.#isKnown(others))) return this;
    if (connections.length === 0) return next;
    await next.dataSources();
    const ids = connections.map((name) => name.slice('connection '.length));
    for (const id of this.#handOn(next, ids)) {
      next.#kept.set(`connection ${id}`, this.#indexed.get(`connection ${id}`) as Connection);
    }
    return next;
  }

  /** Hands on the passwords of data sources that have not changed. @returns their ids */
  #handOn(next: WorkspaceView, dataSources: readonly string[]): string[] {
    const sourcesOf = (view: WorkspaceView) => view.#find('dataSources') as Collection<DataSource> | undefined;
    const before = sourcesOf(this);
    const after = sourcesOf(next);
    const same = dataSources.filter((id) => {
      const updatedAt = before?.byId.get(id)?.updatedAt;
      return updatedAt !== undefined && after?.byId.get(id)?.updatedAt === updatedAt;
    });
    for (const id of same) if (this.#passwords.has(id)) next.#passwords.set(id, this.#passwords.get(id));
    return same;
  }

  /** Shares one reading among all who ask; a failed one is forgotten, so that it is tried again by the next who asks. */
  #once<T>(name: string, read: () => Promise<unknown>): Promise<T> {
    this.#asked.add(name);
    const underWay = this.#pending.get(name);
    // The name says which reading it is, and each name is used with one type only, above.
    if (underWay !== undefined) return underWay as Promise<T>;
    const reading: Promise<unknown> = this.#value(name, read, () => this.#pending.get(name) === reading).catch(
      (error: unknown) => {
        if (this.#pending.get(name) === reading) this.#pending.delete(name);
        throw error;
      },
    );
    this.#pending.set(name, reading);
    return reading as Promise<T>;
  }

  async #value(name: string, read: () => Promise<unknown>, isCurrent: () => boolean): Promise<unknown> {
    await this.#readSnapshot();
    if (isCurrent()) {
      const found = this.#find(name);
      if (found !== undefined) return found;
    }
    const answer = await read();
    const before = this.#known.get(name);
    this.#known.delete(name);
    const value =
      before !== undefined && before.answer === answer && before.indexed !== undefined
        ? before.indexed
        : inOrder(name, answer);
    if (isCurrent()) {
      this.#raw.set(name, answer);
      this.#indexed.set(name, value);
    }
    return value;
  }

  /** A reading that is here, put in order where it is only in the snapshot; never calls. */
  #find(name: string): unknown {
    const known = this.#indexed.get(name);
    if (known !== undefined || this.#dropped.has(name)) return known;
    const answer = this.#lists?.answer(name);
    if (answer === undefined) return undefined;
    return this.#keep(name, answer);
  }

  /** Puts an answer in order and keeps it; a reading that was begun stays the one that those who asked wait for. */
  #keep(name: string, answer: unknown): unknown {
    const value = inOrder(name, answer);
    this.#raw.set(name, answer);
    this.#indexed.set(name, value);
    if (!this.#pending.has(name)) this.#pending.set(name, Promise.resolve(value));
    return value;
  }

  #set(name: string, reading: unknown): void {
    this.#pending.set(name, Promise.resolve(reading));
    this.#raw.set(name, reading);
    this.#indexed.set(name, reading);
  }

  /** Calls for a list, with the ETag that is known of it. */
  async #list<Id extends OperationId>(name: string, operation: Id, request: RequestOf<Id>): Promise<unknown> {
    const known = this.#known.get(name) as KnownAnswer<never> | undefined;
    const begun = this.#pending.get(name);
    let tag: string | undefined;
    const onTag = (told: string): void => {
      tag = told;
    };
    const answer = await this.#client.call(operation, request, { known, onTag });
    if (tag !== undefined && this.#pending.get(name) === begun) this.#tags.set(name, tag);
    return answer;
  }

  /** Once for all readings. @returns undefined where the service has no snapshot, or it is not wanted */
  async #readSnapshot(): Promise<SnapshotLists | undefined> {
    if (!this.#isWhole) return undefined;
    this.#snapshot ??= this.#callSnapshot().catch((error: unknown) => {
      this.#snapshot = undefined;
      throw error;
    });
    return this.#snapshot;
  }

  async #callSnapshot(): Promise<SnapshotLists | undefined> {
    const { snippets, passwords } = this.#needs;
    const include = snippets ? ({ include: 'snippets' } as const) : {};
    try {
      const onTag = (tag: string): void => {
        this.#snapshotTag = tag;
      };
      if (passwords.size > 0)
        return (this.#lists = new SnapshotLists(await this.#callComparison(passwords, include, onTag)));
      const answer = await this.#client.call('readSnapshot', { query: include }, { known: this.#knownSnapshot, onTag });
      return (this.#lists = new SnapshotLists(answer));
    } catch (error) {
      if (!isWithoutSnapshots(error)) throw error;
      this.#isWhole = false;
      return undefined;
    }
  }

  async #callComparison(
    passwords: ReadonlyMap<string, string>,
    include: { include?: 'snippets' },
    onTag?: (tag: string) => void,
  ): Promise<Snapshot> {
    const { body, take } = this.#comparisons.request(passwords);
    const answer = await this.#client.call('compareSnapshot', { body: { ...body, ...include } }, { onTag });
    take(answer);
    return answer;
  }

  /** Compares a password that was not expected. Only what the service says of it is used: the rest stays as it was read. */
  async #compare(dataSource: string, password: string): Promise<void> {
    const alias = (await this.dataSources()).byId.get(dataSource)?.alias;
    if (alias === undefined || alias === null) return;
    this.#unexpected.set(alias, password);
    // One call for all that are asked for in this turn.
    this.#comparing ??= new Promise((resolve) => setImmediate(resolve)).then(async () => {
      const passwords = new Map(this.#unexpected);
      this.#unexpected.clear();
      this.#comparing = undefined;
      await this.#callComparison(passwords, {});
    });
    await this.#comparing;
  }

  /** Where the service does not compare: a key that may read the password can do so itself. */
  async #isPasswordOfDetail(dataSource: string, password: string): Promise<boolean | undefined> {
    try {
      const { configUri } = await this.#client.call('getDataSourceDetail', { params: { dataSource } });
      return readConnectionUri(configUri).password === password;
    } catch (error) {
      if (error instanceof ProblemError && error.kind === 'scope') return undefined;
      throw error;
    }
  }

  /** The roles of a person, where the members of every role are here. */
  #rolesByLists(person: string): RoleAssignment[] | undefined {
    const roles = this.#find('roles') as Collection<Role> | undefined;
    if (roles === undefined) return undefined;
    const assignments: RoleAssignment[] = [];
    for (const { id, name } of roles.all) {
      const members = this.#find(`rolePeople ${id}`) as Collection<RolePerson> | undefined;
      if (members === undefined) return undefined;
      const member = members.byId.get(person);
      if (member === undefined) continue;
      const { assignedAt, windows } = member;
      assignments.push({ id, name, assignedAt, ...(windows && { windows }) });
    }
    return assignments;
  }

  readonly #memberSource = {
    isKnown: (name: string) => this.#known.has(name),
    list: <Id extends OperationId>(name: string, operation: Id, request: RequestOf<Id>) =>
      this.#list(name, operation, request),
    call: <Id extends OperationId>(operation: Id, request: RequestOf<Id>) => this.#client.call(operation, request),
    peek: (name: string) => this.#find(name),
    /** A list that came with another one. */
    keep: (name: string, answer: unknown) => {
      if (!this.#pending.has(name) && !this.#dropped.has(name)) this.#keep(name, answer);
    },
  };

  /** What the service answered, with the ETags that ask whether it would answer the same again. */
  #answered(): Map<string, KnownReading> {
    const all = new Map<string, KnownReading>();
    for (const [name, tag] of this.#tags) {
      if (!this.#raw.has(name)) continue;
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

function inOrder(name: string, answer: unknown): unknown {
  const index = indexes[name.split(' ', 1)[0] ?? ''];
  // The client has checked the answer against the schema of its operation.
  return index === undefined ? answer : index(answer as never);
}

/** A service of the specification does not know the call, and a key that is limited to data sources may not make it. */
function isWithoutSnapshots(error: unknown): boolean {
  // A front end may have explained the error of the client.
  const { cause } = error instanceof Error ? error : {};
  return [error, cause].some(
    (one) =>
      (one instanceof ProblemError || one instanceof UnexpectedAnswerError) && [403, 404, 405].includes(one.status),
  );
}
