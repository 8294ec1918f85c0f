import type { Statement, Values } from './statement.ts';
import type { Executor, MaybePromise } from './store.ts';

/** How many rows a page has at most. To read and to write as JSON, it takes the event loop some milliseconds. */
export const pageRows = 1000;

/** How many bytes of texts a page has at most, unless its first row alone has more. JSON may take six times as many. */
const pageBytes = 256 * 1024;

/** A list that is read one page at a time, in the order of its cursor: mostly the number that the store gave each row. */
export interface Pages<T, Cursor = number> {
  /** Before the first row. */
  readonly start: Cursor;
  readonly read: (executor: Executor, after: Cursor) => MaybePromise<Page<T, Cursor>>;
}

export interface Page<T, Cursor = number> {
  readonly rows: T[];
  /** Where the next page begins; undefined after the last one. */
  readonly next: Cursor | undefined;
}

type After<P> = P & { after: number };

/**
 * Pages of short rows.
 *
 * @param statement gives the rows after a number, at most `most`, in the order of `seq`
 */
export function rowPages<P extends Values, R extends { seq: number }, T>(
  statement: Statement<After<P>, R>,
  parameters: P,
  show: (row: R) => T,
  most = pageRows,
): Pages<T> {
  return {
    start: 0,
    read: async (executor, after) => {
      const rows = await executor.all(statement, { ...parameters, after });
      return { rows: rows.map(show), next: rows.length < most ? undefined : rows.at(-1)?.seq };
    },
  };
}

/**
 * Pages of rows with long texts: only as many rows are read as fit into a page.
 *
 * @param sizes gives the numbers of the rows after one, at most `pageRows`, and the bytes of their texts
 * @param statement gives the rows after one number, up to and with another
 */
export function textPages<P extends Values, R, T>(
  sizes: Statement<After<P>, { seq: number; bytes: number }>,
  statement: Statement<After<P> & { upTo: number }, R>,
  parameters: P,
  show: (row: R) => T,
): Pages<T> {
  return {
    start: 0,
    read: async (executor, after) => {
      const rows = await executor.all(sizes, { ...parameters, after });
      let bytes = 0;
      const over = rows.findIndex((row, index) => (bytes += row.bytes) > pageBytes && index > 0);
      const fitting = over === -1 ? rows : rows.slice(0, over);
      const upTo = fitting.at(-1)?.seq;
      if (upTo === undefined) return { rows: [], next: undefined };
      const found = await executor.all(statement, { ...parameters, after, upTo });
      return { rows: found.map(show), next: over === -1 && rows.length < pageRows ? undefined : upTo };
    },
  };
}

/** All rows at once: for lists that a transaction needs whole. */
export async function readAll<T, Cursor>(executor: Executor, pages: Pages<T, Cursor>): Promise<T[]> {
  const all: T[] = [];
  for (let after: Cursor | undefined = pages.start; after !== undefined; ) {
    const { rows, next }: Page<T, Cursor> = await pages.read(executor, after);
    for (const row of rows) all.push(row);
    after = next;
  }
  return all;
}
