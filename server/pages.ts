import { Readable } from 'node:stream';
import { ReadyStream } from './ready-made.ts';
import type { Executor, MaybePromise, Store } from './store/store.ts';

/** Rows by the number that the store gave them: those after the first, up to the last. */
export type Range = { readonly after: number; readonly upTo: number };

/** All rows: the numbers are those of an integer column. */
export const wholeRange: Range = { after: 0, upTo: 2 ** 31 - 1 };

/** A row's number, and the bytes of its texts. */
export interface RowSize {
  readonly seq: number;
  readonly bytes: number;
}

export interface Pages<T> {
  /** In the order of their numbers. */
  readonly sizes: (executor: Executor) => MaybePromise<readonly RowSize[]>;
  readonly select: (executor: Executor, range: Range) => MaybePromise<T[]>;
}

/** Bytes of texts: of a list that is made at once, and of a page of a larger one. JSON may make six times as many of them. */
const [smallList, page] = [4 * 1024 * 1024, 256 * 1024];

/**
 * Reads a list whose rows have long texts: at once where it is small; else as a stream that reads a page when the client has
 * taken the one before, so that a list of any size takes the memory of a page. Rows that change meanwhile may be as before or
 * after that; a row that was there all the time is there once.
 *
 * @param state what the list is made from, for its entity tag; undefined for none
 */
export async function readPages<T>(
  read: Store['read'],
  executor: Executor,
  { sizes, select }: Pages<T>,
  state?: string,
): Promise<T[] | ReadyStream> {
  const rows = await sizes(executor);
  const total = rows.reduce((sum, { bytes }) => sum + bytes, 0);
  if (total <= smallList) return select(executor, wholeRange);
  const stream = Readable.from(write(read, select, toRanges(rows)), { objectMode: false });
  return new ReadyStream(stream, state === undefined ? {} : { state });
}

function toRanges(rows: readonly RowSize[]): Range[] {
  const ranges: Range[] = [];
  let [after, upTo, sum] = [0, 0, 0];
  for (const { seq, bytes } of rows) {
    if (upTo > after && sum + bytes > page) {
      ranges.push({ after, upTo });
      [after, sum] = [upTo, 0];
    }
    upTo = seq;
    sum += bytes;
  }
  return [...ranges, { after, upTo }];
}

async function* write<T>(read: Store['read'], select: Pages<T>['select'], ranges: readonly Range[]) {
  let before = '[';
  for (const range of ranges) {
    const rows = await read((executor) => select(executor, range));
    if (rows.length === 0) continue;
    yield Buffer.from(before + JSON.stringify(rows).slice(1, -1));
    before = ',';
  }
  yield Buffer.from(before === '[' ? '[]' : ']');
}
