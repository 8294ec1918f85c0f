import type { QueryResult } from '@rolecall/api';
import type { Clock } from '../clock.ts';
import type { Column, CommandSink, Completion, RowChunk } from '../databases/rows/results.ts';
import type { Spool, SpoolWriter } from '../spool/spool.ts';
import type { Store } from '../store/store.ts';
import type { LiveQuery } from './live-query.ts';

export interface RecordParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly spool: Spool;
  /** The id of this process among those that run queries of the same store. */
  readonly runner: string;
}

export interface SinkParts extends RecordParts {
  /** Bytes of rows that a query may spool; 0 for any number. */
  readonly maxBytes: number;
  readonly metrics: QueryMetrics;
}

/** Metrics of queries. */
export interface QueryMetrics {
  readonly queryCompleted: (outcome: 'succeeded' | 'failed' | 'cancelled') => void;
  readonly rowsSpooled: (rows: number, bytes: number) => void;
}

/** The results of a query exceed what the service keeps for one query. */
export class ResultLimitError extends Error {
  override name = 'ResultLimitError';
}

/** More than commands return, except a procedure that never ends. Each result takes memory until the query is complete. */
const mostResults = 10_000;

/**
 * The memory that the columns of all results of a query may take, in bytes: a table with 2,000 columns, read 10,000 times,
 * would otherwise take gigabytes.
 */
const mostColumnBytes = 32 * 1024 * 1024;

/** Roughly what one column takes as an object, besides its name and type. */
const columnOverhead = 100;

type RowsResult = Extract<QueryResult, { type: 'query' }>;

/** Records results in a live query, and rows in its spool. A result appears once its type is known. */
export class RecordSink implements CommandSink {
  readonly #live: LiveQuery;
  readonly #parts: SinkParts;
  #startedAt = '';
  /** The result whose rows are arriving, and the writer of those rows. */
  #current: { result: RowsResult; writer: SpoolWriter } | undefined;
  #rowBytes = 0;
  #columnBytes = 0;

  constructor(live: LiveQuery, parts: SinkParts) {
    this.#live = live;
    this.#parts = parts;
  }

  started(): void {
    if (this.#live.results.length >= mostResults) {
      throw new ResultLimitError(`a query may have ${mostResults} results, and this one has more`);
    }
    this.#startedAt = this.#now();
  }

  columns(_result: number, columns: Column[]): void {
    for (const { name, type } of columns) this.#columnBytes += columnOverhead + 2 * (name.length + type.length);
    if (this.#columnBytes > mostColumnBytes) {
      throw new ResultLimitError(
        'the results of the query have too many columns in all, or column names that are too long',
      );
    }
    const { spool, runner, store } = this.#parts;
    const detail = { columns, hasMore: true, numRows: 0 };
    const startedAt = this.#startedAt;
    const result = this.#live.addResult({ type: 'query', startedAt, completedAt: null, detail }) as RowsResult;
    const writer = spool.write({ query: this.#live.id, ordinal: result.ordinalPosition }, runner);
    this.#current = { result, writer };
    this.#live.saveSoon(store, runner);
  }

  async rows(_result: number, chunk: RowChunk): Promise<void> {
    const { maxBytes, metrics } = this.#parts;
    this.#rowBytes += chunk.bytes.length;
    if (maxBytes > 0 && this.#rowBytes > maxBytes) {
      throw new ResultLimitError(
        `the rows of the query exceed the ${maxBytes} bytes that the service keeps for one query: select less, or ask its operator to raise --query-max-bytes`,
      );
    }
    if (this.#current === undefined) return;
    const { result, writer } = this.#current;
    await writer.append(chunk);
    // Not marked as changed: a write for each chunk would cost more than the rows.
    result.detail.numRows += chunk.count;
    metrics.rowsSpooled(chunk.count, chunk.bytes.length);
  }

  async completed(_result: number, { kind, updateCount }: Completion): Promise<void> {
    const { store, runner } = this.#parts;
    if (kind === 'query') await this.#finish();
    else {
      const [startedAt, completedAt] = [this.#startedAt, this.#now()];
      this.#live.addResult({ type: 'update', startedAt, completedAt, detail: { updateCount } });
    }
    this.#live.saveSoon(store, runner);
  }

  async failed(_result: number, message: string): Promise<void> {
    if (this.#current === undefined) this.#live.addResult(this.#errorResult(message));
    await this.#finish(message);
  }

  /**
   * Closes the spool, however the commands ended.
   *
   * @param failure why they failed; stands in a result that has no rows yet
   */
  async close(failure?: string): Promise<void> {
    const hasRows = (this.#current?.result.detail.numRows ?? 0) > 0;
    const missing = 'the rows after these are missing';
    await this.#finish(hasRows ? missing : (failure ?? missing));
  }

  async #finish(error?: string): Promise<void> {
    const current = this.#current;
    this.#current = undefined;
    if (current === undefined) return;
    this.#end(current.result, error);
    await current.writer.close();
  }

  #end(result: RowsResult, error: string | undefined): void {
    if (error !== undefined && result.detail.numRows === 0) {
      this.#live.replaceResult(result, this.#errorResult(error));
      return;
    }
    result.completedAt = this.#now();
    result.detail.hasMore = false;
    if (error !== undefined) result.detail.error = error;
    this.#live.markChanged(result);
  }

  #errorResult(error: string) {
    return { type: 'error' as const, startedAt: this.#startedAt, completedAt: this.#now(), detail: { error } };
  }

  #now(): string {
    return this.#parts.clock().toISOString();
  }
}
