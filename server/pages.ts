import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JsonBytes, JsonStream } from './json-answer.ts';
import type { Page, Pages } from './store/pages.ts';
import type { Store } from './store/store.ts';

/** Text before and after the rows of a list. */
export type Frame = readonly [before: string, after: string];

export interface ListOptions {
  /** Bytes of JSON that are made at once; a longer list is streamed. Default 1 MiB. */
  readonly mostBytes?: number;
  /** State that the list is made from, for the entity tag of a stream; undefined for none. */
  readonly state?: string | undefined;
  readonly frame?: Frame | undefined;
  /** Waits between two pages; default: a turn of the event loop. */
  readonly pause?: () => Promise<void>;
}

/** A short list as its rows, a longer one as JSON. */
export type List<T> = T[] | JsonBytes | JsonStream;

const array: Frame = ['[', ']'];

/** Bytes that are made at once of a list that is not kept: each client that asks has its own. */
const mostUnkept = 1024 * 1024;

/**
 * Reads a list one page at a time, so that other requests have their turn between two pages. A long list becomes a
 * stream with backpressure, so memory stays at one page. Rows that change meanwhile may be as before or after the
 * change; a row that was there all the time is there once.
 *
 * @param parts are listed one after the other
 */
export async function readList<T, Cursor>(
  read: Store['read'],
  parts: readonly Pages<T, Cursor>[],
  { mostBytes = mostUnkept, state, frame = array, pause = nextTurn }: ListOptions = {},
): Promise<List<T>> {
  const pages = pagesOf(read, parts);
  const first = await pages.next();
  if (first.done === true) return [];
  if (first.value.isLast) return first.value.rows;
  const chunks = writeJson(pages, first.value, frame, pause);
  const made: Buffer[] = [];
  let bytes = 0;
  for (let chunk = await chunks.next(); chunk.done !== true; chunk = await chunks.next()) {
    made.push(chunk.value);
    bytes += chunk.value.length;
    if (bytes > mostBytes) {
      const stream = Readable.from(follow(made, chunks), { objectMode: false });
      return new JsonStream(stream, state === undefined ? {} : { state });
    }
  }
  return new JsonBytes(Buffer.concat(made));
}

interface Rows<T> {
  readonly rows: T[];
  readonly isLast: boolean;
}

async function* pagesOf<T, Cursor>(
  read: Store['read'],
  parts: readonly Pages<T, Cursor>[],
): AsyncGenerator<Rows<T>, void, void> {
  for (const [index, pages] of parts.entries()) {
    const readAfter = (after: Cursor) => read((executor) => pages.read(executor, after));
    for (let after: Cursor | undefined = pages.start; after !== undefined; ) {
      const { rows, next }: Page<T, Cursor> = await readAfter(after);
      yield { rows, isLast: next === undefined && index === parts.length - 1 };
      after = next;
    }
  }
}

async function* writeJson<T>(
  pages: AsyncGenerator<Rows<T>, void, void>,
  first: Rows<T>,
  [before, after]: Frame,
  pause: () => Promise<void>,
): AsyncGenerator<Buffer, void, void> {
  let head = before;
  for (let page: Rows<T> | undefined = first; page !== undefined; ) {
    if (page.rows.length > 0) {
      yield Buffer.from(head + JSON.stringify(page.rows).slice(1, -1));
      head = ',';
    }
    await pause();
    const next = await pages.next();
    page = next.done === true ? undefined : next.value;
  }
  yield Buffer.from(head === ',' ? after : head + after);
}

async function* follow(made: Buffer[], rest: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield* made.splice(0);
  yield* rest;
}
