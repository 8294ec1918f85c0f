import type { RowChunk } from '../databases/rows/results.ts';
import type { JsonBytes, JsonStream } from '../json-answer.ts';

/** A result of a query. */
export interface ResultId {
  readonly query: string;
  /** Position of the result among those of the query, from 0. */
  readonly ordinal: number;
}

export interface Page {
  /** The first row, below `numRows`. */
  readonly seek: number;
  readonly limit: number;
  /** Number of rows that the result has by now. */
  readonly numRows: number;
}

/** Appends rows to one result. */
export interface SpoolWriter {
  /**
   * Settles when all readers of the spool can read the rows. Wait for one call before the next.
   *
   * @throws SpoolGoneError if the query no longer belongs to this runner
   */
  append: (chunk: RowChunk) => Promise<void>;
  close: () => Promise<void>;
}

/** Stores the rows of queries, as the JSON of the answer. */
export interface Spool {
  /** @param runner the process that runs the query; once it has lost the query, it writes nothing more */
  write: (result: ResultId, runner: string) => SpoolWriter;
  /**
   * Reads a page of rows as the JSON of the answer. The cost does not depend on the position of the page.
   *
   * @throws SpoolGoneError if the rows have been removed
   */
  read: (result: ResultId, page: Page) => Promise<JsonBytes | JsonStream>;
  /** Counts the rows that can be read. */
  count: (result: ResultId) => Promise<number>;
  /** Removes the rows of a query, if it has any. */
  remove: (query: string) => Promise<void>;
  /** Removes rows whose query no longer exists, left by a process that died or while the store was unavailable. */
  sweep: (exists: (query: string) => Promise<boolean>) => Promise<void>;
  close: () => Promise<void>;
}

/** The query was deleted, or completed by another process after its lease expired. */
export class SpoolGoneError extends Error {
  override name = 'SpoolGoneError';
  readonly code = 'ERR_SPOOL_GONE';
  constructor() {
    super('the query was deleted, or its lease expired');
  }
}

/** Larger pages, in bytes, are sent as they are read, so that many readers of wide rows cost no memory. */
export const largestPiece = 1024 * 1024;
