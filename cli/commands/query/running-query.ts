import { setTimeout as sleep } from 'node:timers/promises';
import type { PersonClient, QueryResult } from '@rolecall/api';
import type { Row } from '@rolecall/server/export';
import { QueryFailedError } from './query-failed.ts';

/** The pauses between two questions whether a query has got further, in milliseconds. */
const pauses = { first: 10, longest: 500 };

/** Size of a page: bytes of rows to ask for at a time, and rows while their size is unknown. */
const page = { bytes: 512 * 1024, firstRows: 200, mostRows: 10_000 };

/** Milliseconds that a cancel may take when the command ends. */
const cancelMs = 5000;

/** A query that the service runs, and whose results are read while they arrive. */
export class RunningQuery {
  readonly id: string;
  /** True if the database may still be working on it. */
  isRunning = true;
  readonly #client: PersonClient;
  readonly #signal: AbortSignal;

  constructor(client: PersonClient, id: string, signal: AbortSignal) {
    this.#client = client;
    this.id = id;
    this.#signal = signal;
  }

  /** Gives each result as soon as it begins. Ends when the query is complete. */
  async *results(): AsyncGenerator<QueryResult> {
    const pause = this.#pause();
    for (let index = 0; ; ) {
      const { numResults, completedAt } = await this.#client.call('getMyQuery', this.#query(), this.#options());
      this.isRunning = completedAt === null;
      for (; index < (numResults ?? 0); index += 1) yield this.#result(index);
      if (completedAt !== null) return;
      await pause();
    }
  }

  /** Gives the rows of a result, some at a time. @throws QueryFailedError where they broke off */
  async *rows(index: number): AsyncGenerator<Row[]> {
    let [seek, limit] = [0, page.firstRows];
    const pause = this.#pause();
    for (;;) {
      const result = await this.#result(index);
      if (result.type !== 'query') return;
      const { numRows, hasMore, error } = result.detail;
      while (seek < numRows) {
        const rows = await this.#page(index, { seek, limit: Math.min(limit, numRows - seek) });
        if (rows.length === 0) break;
        yield rows;
        seek += rows.length;
        limit = rowsFor(rows);
      }
      if (error !== undefined) throw new QueryFailedError(this.id, error, undefined);
      if (!hasMore) return;
      await pause();
    }
  }

  /** Cancels the query in the database. Failures are left to the service, which ends it with the session at the latest. */
  async cancel(): Promise<void> {
    const signal = AbortSignal.timeout(cancelMs);
    await this.#client.call('cancelMyQuery', this.#query(), { signal }).catch(() => undefined);
  }

  #result(index: number): Promise<QueryResult> {
    const params = { query: this.id, resultIndex: String(index) };
    return this.#client.call('getMyQueryResult', { params }, this.#options());
  }

  #page(index: number, { seek, limit }: { seek: number; limit: number }): Promise<Row[]> {
    const params = { query: this.id, resultIndex: String(index) };
    const query = { seek: String(seek), limit: String(limit) };
    return this.#client.call('listMyQueryRows', { params, query }, this.#options());
  }

  #query() {
    return { params: { query: this.id } };
  }

  #options() {
    return { signal: this.#signal };
  }

  /** A pause that grows: most queries are short, and a long one is not to be asked about all the time. */
  #pause(): () => Promise<void> {
    let ms = pauses.first;
    return async () => {
      await sleep(ms, undefined, { signal: this.#signal });
      ms = Math.min(ms * 1.5, pauses.longest);
    };
  }
}

/** Returns how many rows like these make a page: memory must not grow with the size of a cell. */
function rowsFor(rows: readonly Row[]): number {
  const bytes = rows.reduce((sum, row) => sum + row.reduce((of, cell) => of + (cell?.length ?? 4) + 3, 2), 0);
  return Math.max(1, Math.min(page.mostRows, Math.floor(page.bytes / (bytes / rows.length))));
}
