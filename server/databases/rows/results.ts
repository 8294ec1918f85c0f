import type { columnFormats } from '@rolecall/api';

export type ColumnFormat = (typeof columnFormats)[number];

/** A column of a result, as it goes over the wire. */
export interface Column {
  ordinalPosition: number;
  name: string;
  /** As the database reports it. */
  type: string;
  format: ColumnFormat;
}

/** Rows that came one after another. Their memory is used again once the sink's promise has settled. */
export interface RowChunk {
  /** The rows' JSON, each an array of texts and nulls, exactly as they will be sent, with a comma between two rows. */
  bytes: Buffer;
  /** How long each row's JSON is in bytes, without the comma. */
  lengths: Uint32Array;
  count: number;
}

export interface Completion {
  kind: 'query' | 'update';
  /** Rows that a command changed; null where the database does not say, and for a query. */
  updateCount: number | null;
}

type Taken = void | Promise<void>;

/**
 * Takes what commands give, in order, one call at a time: the next comes when the promise of the last has settled. A
 * sink that is slow slows the database down. One that fails cancels the commands.
 *
 * Results are numbered from 0. A command gives one, save a procedure of MySQL that gives several. Each is `started`, has
 * `columns` and then any number of `rows` if it is a query, and is either `completed` or `failed`.
 */
export interface CommandSink {
  started: (result: number) => Taken;
  columns: (result: number, columns: Column[]) => Taken;
  rows: (result: number, chunk: RowChunk) => Taken;
  completed: (result: number, completion: Completion) => Taken;
  failed: (result: number, message: string) => Taken;
}

/** How commands ended as a whole. */
export type RunOutcome =
  /** Committed. */
  | { success: true }
  | {
      success: false;
      /** The database's own message, without the password. */
      message: string;
      /** The result that `failed`; null where none did: no connection was made, or the commit failed. */
      result: number | null;
      /** Whether the given signal ended it. */
      cancelled: boolean;
    };
