import type { Kysely } from 'kysely';
import type { EntryDraft } from '../audit/entry.ts';
import type { Statement, Values } from './statement.ts';
import type { Tables } from './tables.ts';

/** SQLite answers at once, PostgreSQL later; a handler awaits either. */
export type MaybePromise<T> = T | Promise<T>;

/** The collections whose changes are counted; a write names those that it changes. */
export const collections = ['data_source', 'person', 'role', 'permission', 'snippet', 'editor', 'membership'] as const;
export type Collection = (typeof collections)[number];

/** Runs queries, on a connection that the store lends for one piece of work. It must not be kept beyond that. */
export interface Executor {
  /**
   * As long as this number is the same, nothing at all has changed in the store; undefined where the store cannot tell.
   */
  readonly revision: number | undefined;
  /** The store's own clock, which all its processes share; leases go by it. */
  readonly now: () => MaybePromise<Date>;
  /** For a query that is made up as it goes; what every request runs is a statement. */
  readonly db: Kysely<Tables>;
  /**
   * Runs a statement and gives its rows: none, for a change without `returning`.
   *
   * @throws UniqueError where a row would be a second one; StoreUnavailableError where the store cannot be used
   */
  readonly all: <P extends Values, R>(statement: Statement<P, R>, parameters: P) => MaybePromise<R[]>;
}

/** Adds an entry to the audit trail, in the transaction of the write that says so. */
export type RecordEntry = (entry: EntryDraft) => void;

/** Writes entries at the end of the audit trail, in their order; what it gives is called once they are committed. */
export type AppendEntries = (executor: Executor, entries: readonly EntryDraft[]) => MaybePromise<() => void>;

export type Work<T> = (executor: Executor, record: RecordEntry) => MaybePromise<T>;

export type Write = <T>(changes: readonly Collection[], work: Work<T>) => Promise<T>;

/** A bell for all replicas, to be quick; it may be lost, so nobody waits for it alone. */
export interface Replicas {
  readonly notify: () => void;
  /** Calls the listener whenever some replica, this one too, wakes all. */
  readonly onNotified: (listener: () => void) => void;
}

/** Where the service keeps everything. */
export interface Store {
  /** Runs work that only reads. It sees what was committed and nothing else; two statements may see a change between. */
  readonly read: <T>(work: (executor: Executor) => MaybePromise<T>) => MaybePromise<T>;
  /**
   * Runs work that changes something, all of it or nothing, and settles only when that is on disk.
   *
   * No other write, of whichever process, comes between its statements: what it has checked stays true until it commits.
   *
   * @param changes the collections whose lists the work changes
   * @param work must await nothing but the executor, since other writes wait for it, and have no other effect, since it
   *   may be run a second time; an error of the executor must end it, since PostgreSQL takes no statement after one.
   *   What it records is in the audit trail as soon as its changes are in the store, and never otherwise.
   */
  readonly write: Write;
  /** How the processes that serve from this store wake each other; undefined where one process has it to itself. */
  readonly replicas: Replicas | undefined;
  /** Finishes the writes that were begun, then lets go of the store. */
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

/** Stands in for a trail where a store is opened without one. */
export function refuseEntries(): never {
  throw new Error('this store was opened without an audit trail');
}
