import { type Compilable, type Kysely, sql } from 'kysely';
import { type Statement, statement, type Values } from './statement.ts';
import type { Executor, MaybePromise } from './store.ts';
import type { Tables } from './tables.ts';

/** Rows of a page, at most. To read and to write as JSON, it takes the event loop some milliseconds. */
export const pageRows = 1000;

/** Bytes of texts in a page, at most, unless its first row alone has more. JSON may take six times as many. */
const pageBytes = 256 * 1024;

/** A list that is read one page at a time, in the order of its cursor: mostly the number that the store gave each row. */
export interface Pages<T, Cursor = number> {
  /** Before the first row. */
  readonly start: Cursor;
  readonly read: (executor: Executor, after: Cursor) => MaybePromise<Page<T, Cursor>>;
}

export interface Page<T, Cursor = number> {
  readonly rows: T[];
  /** Beginning of the next page; undefined after the last one. */
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
 * Pages of all rows of a table.
 *
 * @param list selects the rows after a number, in the order of `seq`
 */
export function tablePages<R extends { seq: number }, T>(
  list: (db: Kysely<Tables>, after: number) => { readonly limit: (most: number) => Compilable<R> },
  show: (row: R) => T,
  most = pageRows,
): Pages<T> {
  const rows = statement<{ after: number }>()((db, { after }) => list(db, after).limit(most));
  return rowPages(rows, {}, show, most);
}

/** Selects the numbers of the rows of an owner after one, with the bytes of their texts. */
export function textSizes<const O extends 'editor' | 'snippet'>(
  table: 'editor_tab' | 'editor_message' | 'snippet_version',
  owner: O,
  text: 'text' | 'message',
): Statement<After<Record<O, string>>, { seq: number; bytes: number }> {
  return statement<After<Record<O, string>>>()((db, { after, [owner]: id }) =>
    db
      .selectFrom(table)
      .select(['seq', sql<number>`octet_length(${sql.ref(text)})`.as('bytes')])
      .where(sql.ref(`${owner}_id`), '=', id)
      .where('seq', '>', after)
      .orderBy('seq')
      .limit(pageRows),
  );
}

/**
 * Pages of rows with long texts: only as many rows are read as fit into a page.
 *
 * @param sizes as `textSizes` makes it
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
      const page = await executor.all(statement, { ...parameters, after, upTo });
      return { rows: page.map(show), next: over === -1 && rows.length < pageRows ? undefined : upTo };
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
