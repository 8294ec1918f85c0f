import type { Kysely } from 'kysely';
import type { EntryDraft } from '../audit/entry.ts';
import type { Statement, Values } from './statement.ts';
import type { Tables } from './tables.ts';

/** SQLite answers synchronously, PostgreSQL later; callers await either. */
export type MaybePromise<T> = T | Promise<T>;

/** The collections whose changes are counted; a write names those that it changes. */
export type Collection =
  | 'data_source'
  | 'person'
  | 'role'
  | 'permission'
  | 'snippet'
  | 'editor'
  | 'editor_message'
  | 'membership'
  | 'declaration';

/** Runs statements on a connection that the store lends for one piece of work. Do not keep it longer. */
export interface Executor {
  /**
   * While this number stays the same, nothing has changed in the store; undefined if the store cannot tell.
   */
  readonly revision: number | undefined;
  /** The store's own clock, shared by all its processes; leases use it. */
  readonly now: () => MaybePromise<Date>;
  /** For queries that are built at run time; use statements for what every request runs. */
  readonly db: Kysely<Tables>;
  /**
   * Runs a statement and returns its rows: none, for a change without `returning`.
   *
   * @throws UniqueError if a row would duplicate another; StoreUnavailableError if the store cannot be used
   */
  readonly all: <P extends Values, R>(statement: Statement<P, R>, parameters: P) => MaybePromise<R[]>;
}

/** Adds an entry to the audit trail, in the transaction of the write. */
export type RecordEntry = (entry: EntryDraft) => void;

/** Appends entries to the audit trail, in their order. Its result is called once they are committed. */
export type AppendEntries = (executor: Executor, entries: readonly EntryDraft[]) => MaybePromise<() => void>;

export type Work<T> = (executor: Executor, record: RecordEntry) => MaybePromise<T>;

export type Write = <T>(changes: readonly Collection[], work: Work<T>) => Promise<T>;

/** Notifies all replicas. Delivery is best effort, so listeners also poll. */
export interface Replicas {
  readonly notify: () => void;
  /** Calls the listener for each notification, including those of this replica. */
  readonly onNotified: (listener: () => void) => void;
}

/** The store at one moment. */
export interface StoreSnapshot {
  /** As `Store.read`, and all reads see the same state. @throws StoreUnavailableError once it is closed */
  readonly read: Store['read'];
  /** May be called twice. */
  close(): Promise<void>;
}

/** Stores all data of the service. */
export interface Store {
  /** Runs work that only reads. It sees only what was committed; two statements may see a change in between. */
  readonly read: <T>(work: (executor: Executor) => MaybePromise<T>) => MaybePromise<T>;
  /** Opens a snapshot. While it is open, the store cannot forget what was replaced since: do not keep it for long. */
  readonly snapshot: () => Promise<StoreSnapshot>;
  /**
   * Runs work that changes something, entirely or not at all, and settles only when the change is on disk.
   *
   * No other write, of any process, comes between its statements: what it has checked stays true until the commit.
   *
   * @param changes the collections whose lists the work changes
   * @param work must await only the executor, since other writes wait for it, and must have no other effect, since it may run
   *   twice. An error of the executor must end it, since PostgreSQL accepts no statement after one. What it records is in the
   *   audit trail if and only if its changes are in the store.
   */
  readonly write: Write;
  /** Notifies the other processes that serve from this store; undefined if one process has it to itself. */
  readonly replicas: Replicas | undefined;
  /** Finishes the writes in progress, then closes the store. */
  close(): Promise<void>;
}

/** The first row of a statement, or undefined. */
export async function first<P extends Values, R>(
  executor: Executor,
  statement: Statement<P, R>,
  parameters: P,
): Promise<R | undefined> {
  const rows = await executor.all(statement, parameters);
  return rows[0];
}

/** Takes the place of a trail in a store that is opened without one. */
export function refuseEntries(): never {
  throw new Error('this store was opened without an audit trail');
}
