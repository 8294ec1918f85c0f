import type { columnFormats } from '@rolecall/api';

export type ColumnFormat = (typeof columnFormats)[number];

/** A column of a result, in the form of the API. */
export interface Column {
  ordinalPosition: number;
  name: string;
  /** As the database reports it. */
  type: string;
  format: ColumnFormat;
}

/** Consecutive rows. Their memory is reused once the sink's promise has settled. */
export interface RowChunk {
  /** The rows as JSON, exactly as they will be sent: each an array of texts and nulls, with a comma between two rows. */
  bytes: Buffer;
  /** The length of each row's JSON in bytes, without the comma. */
  lengths: Uint32Array;
  count: number;
}

export interface Completion {
  kind: 'query' | 'update';
  /** Rows that a command changed; null for a query, and if the database does not tell. */
  updateCount: number | null;
}

type Taken = void | Promise<void>;

/**
 * Takes the results of commands in order, one call at a time: the next call comes when the promise of the last has settled.
 * A slow sink slows the database down. A sink that fails cancels the commands.
 *
 * Results are numbered from 0. A command has one result; a procedure of MySQL may have several. Each result is `started`, has
 * `columns` and any number of `rows` if it is a query, and is then either `completed` or `failed`.
 */
export interface CommandSink {
  started: (result: number) => Taken;
  columns: (result: number, columns: Column[]) => Taken;
  rows: (result: number, chunk: RowChunk) => Taken;
  completed: (result: number, completion: Completion) => Taken;
  failed: (result: number, message: string) => Taken;
}

/** Outcome of all commands together. */
export type RunOutcome =
  /** Committed. */
  | { success: true }
  | {
      success: false;
      /** The database's own message, without the password. */
      message: string;
      /** The result that `failed`; null if none did: no connection was made, or the commit failed. */
      result: number | null;
      /** True if the given signal ended the commands. */
      cancelled: boolean;
    };
