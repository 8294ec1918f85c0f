import type { QueryResult } from '@rolecall/api';
import type { Clock } from '../clock.ts';
import type { CommandSink } from '../databases/rows/results.ts';
import type { Spool, SpoolWriter } from '../spool/spool.ts';
import type { Store } from '../store/store.ts';
import { addResult, type LiveQuery, replaceResult, saveSoon } from './live-query.ts';

export interface RecordParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly spool: Spool;
  /** Names this process among those that run queries of the same store. */
  readonly runner: string;
}

export interface SinkParts extends RecordParts {
  /** How many bytes of rows a query may spool; 0 for any number. */
  readonly maxBytes: number;
  readonly metrics: QueryMetrics;
}

/** What is counted of queries. */
export interface QueryMetrics {
  readonly queryCompleted: (outcome: 'succeeded' | 'failed' | 'cancelled') => void;
  readonly rowsSpooled: (rows: number, bytes: number) => void;
}

export interface RecordSink extends CommandSink {
  /** Lets go of the spool, however the commands ended. @param failure why they failed, for a result without rows */
  close: (failure?: string) => Promise<void>;
}

/** A query gives more than the service keeps of one. */
export class ResultLimitError extends Error {
  override name = 'ResultLimitError';
}

/** More than commands give, save a procedure that never ends: each result takes memory until the query is complete. */
const mostResults = 10_000;

/**
 * The memory that the columns of all results of a query may take, in bytes: a table with 2,000 columns, read 10,000 times,
 * would otherwise take gigabytes.
 */
const mostColumnBytes = 32 * 1024 * 1024;

/** About what one column takes as an object, besides its name and type. */
const columnOverhead = 100;

type RowsResult = Extract<QueryResult, { type: 'query' }>;

/** A sink that records results in a live query, and rows in its spool. A result appears once its type is known. */
export function createRecordSink(
  live: LiveQuery,
  { store, clock, spool, runner, metrics, maxBytes }: SinkParts,
): RecordSink {
  let startedAt = '';
  let current: RowsResult | undefined;
  let writer: SpoolWriter | undefined;
  let spooled = 0;
  let columnBytes = 0;
  const now = (): string => clock().toISOString();

  async function finish(error?: string): Promise<void> {
    const [ended, rows] = [current, writer];
    current = undefined;
    writer = undefined;
    if (ended !== undefined) end(ended, error);
    await rows?.close();
  }

  function end(result: RowsResult, error: string | undefined): void {
    const completedAt = now();
    if (error !== undefined && result.detail.numRows === 0) {
      replaceResult(live, result, { type: 'error', startedAt, completedAt, detail: { error } });
      return;
    }
    result.completedAt = completedAt;
    result.detail.hasMore = false;
    if (error !== undefined) result.detail.error = error;
    live.changed.add(result);
  }

  return {
    started: () => {
      if (live.results.length >= mostResults) {
        throw new ResultLimitError(`a query may have ${mostResults} results, and this one has more`);
      }
      startedAt = now();
    },
    columns: (_result, columns) => {
      for (const { name, type } of columns) columnBytes += columnOverhead + 2 * (name.length + type.length);
      if (columnBytes > mostColumnBytes) {
        throw new ResultLimitError(
          'the results of the query have too many columns in all, or too long names of columns',
        );
      }
      const detail = { columns, hasMore: true, numRows: 0 };
      addResult(live, { type: 'query', startedAt, completedAt: null, detail });
      current = live.results.at(-1) as RowsResult;
      writer = spool.write({ query: live.query.id, ordinal: current.ordinalPosition }, runner);
      saveSoon(live, store, runner);
    },
    rows: async (_result, chunk) => {
      spooled += chunk.bytes.length;
      if (maxBytes > 0 && spooled > maxBytes) {
        throw new ResultLimitError(
          `the rows of the query are more than the ${maxBytes} bytes that the service keeps of one: select less, or have its operator raise --query-max-bytes`,
        );
      }
      await writer?.append(chunk);
      // Not marked as changed: a write a chunk would cost more than the rows.
      if (current !== undefined) current.detail.numRows += chunk.count;
      metrics.rowsSpooled(chunk.count, chunk.bytes.length);
    },
    completed: async (_result, { kind, updateCount }) => {
      if (kind === 'query') await finish();
      else addResult(live, { type: 'update', startedAt, completedAt: now(), detail: { updateCount } });
      saveSoon(live, store, runner);
    },
    failed: async (_result, message) => {
      if (current === undefined) {
        addResult(live, { type: 'error', startedAt, completedAt: now(), detail: { error: message } });
      }
      await finish(message);
    },
    close: (failure) =>
      finish(current?.detail.numRows === 0 && failure !== undefined ? failure : 'the rows after these are missing'),
  };
}
