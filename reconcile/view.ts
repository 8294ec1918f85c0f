import type {
  AnswerOf,
  Client,
  DataSource,
  DataSourceDetail,
  ListedSnippet,
  ListedSnippetVersion,
  OperationId,
  Permission,
  Person,
  RequestOf,
  Role,
  RoleAssignment,
  RoleDataSource,
  RolePerson,
} from '@rolecall/api';
import { type Journal, readJournal } from './journal.ts';
import {
  dataSourceKey,
  emailKey,
  type OwnerKey,
  pairKey,
  personKey,
  roleKey,
  snippetKey,
  snippetNameKey,
} from './keys.ts';

/** The part of the client that the engine uses. */
export type Caller = Pick<Client, 'call'>;

/** A collection as it was read, with its objects by id and by natural key (several where the key is not unique). */
export interface Collection<T> {
  readonly all: readonly T[];
  readonly byId: ReadonlyMap<string, T>;
  readonly byKey: ReadonlyMap<string, readonly T[]>;
}

export interface People extends Collection<Person> {
  readonly byEmail: ReadonlyMap<string, Person>;
}

/** What can be looked at without reading it, by the name of the reading. */
interface Peeked {
  permissions: Collection<Permission>;
  [rolePeople: `rolePeople ${string}`]: Collection<RolePerson>;
  [roleDataSources: `roleDataSources ${string}`]: Collection<RoleDataSource>;
}

export interface Snippets extends Collection<ListedSnippet> {
  /** By active name, whoever owns them. */
  readonly byName: ReadonlyMap<string, readonly ListedSnippet[]>;
  /** Notes of Rolecall to itself, which are not among the others: nobody declares them, and nothing removes them. */
  readonly journals: readonly Journal[];
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
  /** The roles that one person is in: for a person who is replaced, cheaper than every role's list. */
  personRoles: (personId: string) => Promise<readonly RoleAssignment[]>;
  /** What has been read so far, by name: the basis of a plan's digest. */
  readings: () => ReadonlyMap<string, unknown>;
  /** A collection that has already been read, or undefined; never reads. */
  peek: <N extends keyof Peeked>(name: N) => Peeked[N] | undefined;
}

/** Opens a view of the workspace that the client reaches; reads nothing yet. */
export function createView(client: Caller): View {
  const pending = new Map<string, Promise<unknown>>();
  const raw = new Map<string, unknown>();
  const indexed = new Map<string, unknown>();

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

  return {
    people: () => once('people', 'listPeople', {}, indexPeople),
    roles: () => once('roles', 'listRoles', {}, (all) => collect(all, ({ name }) => roleKey(name))),
    dataSources: () =>
      once('dataSources', 'listDataSources', {}, (all) =>
        collect(all, ({ alias }) => (alias === null ? undefined : dataSourceKey(alias))),
      ),
    permissions: () =>
      once('permissions', 'listPermissions', {}, (all) =>
        collect(all, ({ person, dataSource }) => pairKey(person.id, dataSource.id)),
      ),
    snippets: () => once('snippets', 'listSnippets', {}, indexSnippets),
    rolePeople: (role) =>
      once(`rolePeople ${role}`, 'listRolePeople', { params: { role } }, (all) =>
        collect(all, ({ username }) => personKey(username)),
      ),
    roleDataSources: (role) =>
      once(`roleDataSources ${role}`, 'listRoleDataSources', { params: { role } }, (all) =>
        collect(all, ({ alias }) => (alias === null ? undefined : dataSourceKey(alias))),
      ),
    dataSourceDetail: (dataSource) =>
      once(`dataSourceDetail ${dataSource}`, 'getDataSourceDetail', { params: { dataSource } }, (detail) => detail),
    snippetVersions: (snippet) =>
      once(`snippetVersions ${snippet}`, 'listSnippetVersions', { params: { snippet } }, (all) => all),
    personRoles: (person) => once(`personRoles ${person}`, 'listPersonRoles', { params: { person } }, (all) => all),
    drop(name) {
      pending.delete(name);
      raw.delete(name);
      indexed.delete(name);
    },
    readings: () => raw,
    // Each name is only ever indexed as what Peeked says of it.
    peek: (name) => indexed.get(name) as never,
  };
}

/** Who owns a snippet, by natural key. */
export function ownerOf({ ownerPerson, ownerRole }: Pick<ListedSnippet, 'ownerPerson' | 'ownerRole'>): OwnerKey {
  if (ownerPerson !== null) return { kind: 'Person', username: ownerPerson.username };
  if (ownerRole !== null) return { kind: 'Role', role: ownerRole.name };
  return undefined;
}

function indexPeople(all: readonly Person[]): People {
  const byEmail = new Map(all.map((person) => [emailKey(person.email), person]));
  return { ...collect(all, ({ username }) => personKey(username)), byEmail };
}

function indexSnippets(read: readonly ListedSnippet[]): Snippets {
  const journals = read.flatMap((snippet) => readJournal(snippet) ?? []);
  const ours = new Set(journals.map(({ snippet }) => snippet.id));
  const all = ours.size === 0 ? read : read.filter(({ id }) => !ours.has(id));
  const byName = Map.groupBy(all, ({ activeVersion }) => snippetNameKey(activeVersion.name));
  return { ...collect(all, (snippet) => snippetKey(ownerOf(snippet), snippet.activeVersion.name)), byName, journals };
}

function collect<T extends { id: string }>(all: readonly T[], keyOf: (object: T) => string | undefined): Collection<T> {
  const byId = new Map<string, T>();
  const byKey = new Map<string, T[]>();
  for (const object of all) {
    byId.set(object.id, object);
    const key = keyOf(object);
    if (key === undefined) continue;
    const candidates = byKey.get(key);
    if (candidates === undefined) byKey.set(key, [object]);
    else candidates.push(object);
  }
  return { all, byId, byKey };
}
