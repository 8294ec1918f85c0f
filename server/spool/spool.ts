import type { RowChunk } from '../databases/rows/results.ts';
import type { JsonBytes, JsonStream } from '../json-answer.ts';

/** A result of a query. */
export interface ResultId {
  readonly query: string;
  /** Which of the query's results, from 0. */
  readonly ordinal: number;
}

export interface Page {
  /** The first row, below `numRows`. */
  readonly seek: number;
  readonly limit: number;
  /** How many rows the result has by now. */
  readonly numRows: number;
}

/** Appends rows to one result. */
export interface SpoolWriter {
  /**
   * Settles when everybody who may read the spool can read the rows. One call at a time: whoever has rows to append waits.
   *
   * @throws SpoolGoneError where the query is not this runner's any more
   */
  append: (chunk: RowChunk) => Promise<void>;
  close: () => Promise<void>;
}

/** Where the rows of queries are, as the JSON that they will be sent as. */
export interface Spool {
  /** @param runner the process that runs the query; one that has lost its query writes nothing more */
  write: (result: ResultId, runner: string) => SpoolWriter;
  /**
   * Reads a page of rows as the JSON that it is answered with. What it costs does not depend on where the page is.
   *
   * @throws SpoolGoneError where the rows have been removed
   */
  read: (result: ResultId, page: Page) => Promise<JsonBytes | JsonStream>;
  /** How many rows can be read. */
  count: (result: ResultId) => Promise<number>;
  /** Removes the rows of a query, if it has any. */
  remove: (query: string) => Promise<void>;
  /** Removes rows whose query is gone: what a process that died, or a store that was away, has left. */
  sweep: (exists: (query: string) => Promise<boolean>) => Promise<void>;
  close: () => Promise<void>;
}

/** The query was deleted, or completed by somebody else after its lease had run out. */
export class SpoolGoneError extends Error {
  override name = 'SpoolGoneError';
  readonly code = 'ERR_SPOOL_GONE';
  constructor() {
    super('the query was deleted, or its lease ran out');
  }
}

/** Larger pages are sent as they are read, so that many readers of wide rows cost no memory. In bytes. */
export const largestPiece = 1024 * 1024;
