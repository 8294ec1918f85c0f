import type {
  Client,
  DataSource,
  DataSourceDetail,
  ListedSnippetVersion,
  Permission,
  Role,
  RoleAssignment,
  RoleDataSource,
  RolePerson,
  Snapshot,
} from '@rolecall/api';
import type { Step } from '../model/step.ts';
import type { Collection, People, Snippets } from './collection.ts';
import type { Connection } from './connection.ts';

export type { Collection, People, Snippets } from './collection.ts';
export type { Connection } from './connection.ts';

/** The part of the client that the engine uses. */
export type Caller = Pick<Client, 'call'> & Partial<Pick<Client, 'store'>>;

/** The readings that can be looked at without a call, by name. */
export interface Peeked {
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
  /** True if the service begins and ends memberships at their times by itself. */
  keepsTimes: () => Promise<boolean>;
  /** The service's record of the set of definitions that the plan is for; undefined if it does not say. */
  declared: () => Promise<Snapshot['declared']>;
  /** The name of the role whose members are administrators; undefined where there is none, or the service does not say. */
  adminRole: () => Promise<string | undefined>;
  /** True if the service edits people, roles and permissions in place. Known once something was read. */
  edits: () => boolean;
  /** True if connections that were read are as they were written: a service without snapshots may append parameters of its own. */
  isAsWritten: () => boolean;
  /** True if a data source has this password; undefined if the service does not say. */
  isPassword: (dataSourceId: string, password: string) => Promise<boolean | undefined>;
  /** True if a data source has a password. Unlike `connection`, no plan is made from it. */
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
  /** The readings asked for so far, by name: the basis of a plan's digest. */
  readings: () => ReadonlyMap<string, unknown>;
  /** A collection that was asked for and has been read, or undefined; never reads. */
  peek: <N extends keyof Peeked>(name: N) => Peeked[N] | undefined;
}

/** The part of a view that only reads: all that comparing needs. */
export type Reader = Omit<View, 'drop' | 'take' | 'forget' | 'renew' | 'readings'>;

/** The readings that a plan will ask of a view. */
export interface Needs {
  readonly snippets: boolean;
  /** Passwords that will be compared, by the alias of the data source. */
  readonly passwords: ReadonlyMap<string, string>;
  /** The manager whose declarations are asked for. */
  readonly declaredBy?: string | undefined;
}

export interface ViewOptions {
  /**
   * Reads the whole workspace with the first reading, in one call, where the service has that call. Else each list is read when it is
   * asked for.
   */
  readonly isWhole?: boolean;
}
