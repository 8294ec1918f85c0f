import { setTimeout as sleep } from 'node:timers/promises';
import { sql } from 'kysely';
import type { RowChunk } from '../../databases/rows/results.ts';
import { StoreUnavailableError } from '../../store/errors.ts';
import { statement } from '../../store/statement.ts';
import type { Executor } from '../../store/store.ts';
import { type ResultId, SpoolGoneError, type SpoolWriter } from '../spool.ts';

/** Bytes of an entry in the list of ends. */
export const entryBytes = 4;

/** Milliseconds to retry while the store is unreachable, and the pause between tries. Shorter than a lease. */
const retry = { total: 10_000, pause: 250 };

type Chunk = {
  query: string;
  ordinal: number;
  runner: string;
  firstRow: number;
  /** The first row of the chunk before; its own for the first chunk. */
  before: number;
  numRows: number;
  ends: Uint8Array;
  rows: Uint8Array;
};

/**
 * Only while the query belongs to the runner and is not complete. Also only if the previous chunk is there: a crash of the
 * server may have lost it, since rows are not written durably.
 */
const insert = statement<Chunk>()((db, { query, ordinal, runner, firstRow, before, numRows, ends, rows }) => ({
  compile: () =>
    sql<{ first_row: number }>`
      insert into query_rows (query_id, ordinal, first_row, num_rows, ends, rows)
      select ${query}, ${ordinal}::bigint, ${firstRow}::bigint, ${numRows}::bigint, ${ends}::bytea, ${rows}::bytea
      where exists (select 1 from query where id = ${query} and runner = ${runner} and completed_at is null)
      and (${firstRow}::bigint = 0 or exists (
        select 1 from query_rows
        where query_id = ${query} and ordinal = ${ordinal}::bigint and first_row = ${before}::bigint))
      on conflict (query_id, ordinal, first_row) do nothing
      returning first_row`.compile(db),
}));

const stored = statement<{ query: string; ordinal: number; firstRow: number }>()((db, { query, ordinal, firstRow }) =>
  db
    .selectFrom('query_rows')
    .select('first_row')
    .where('query_id', '=', query)
    .where('ordinal', '=', ordinal)
    .where('first_row', '=', firstRow),
);

/** Appends chunks of rows to a result, each in a transaction of its own. */
export function createChunkWriter(executor: Executor, { query, ordinal }: ResultId, runner: string): SpoolWriter {
  let previous = 0;
  let next = 0;
  return {
    append: async (chunk) => {
      const { bytes: rows, count: numRows } = chunk;
      await insertChunk(executor, {
        query,
        ordinal,
        runner,
        firstRow: next,
        before: previous,
        numRows,
        ends: endsOf(chunk),
        rows,
      });
      previous = next;
      next += numRows;
    },
    close: () => Promise.resolve(),
  };
}

/** Inserts a chunk exactly once, however often the connection is lost meanwhile. */
async function insertChunk(executor: Executor, chunk: Chunk): Promise<void> {
  const { query, ordinal, firstRow } = chunk;
  const until = performance.now() + retry.total;
  for (;;) {
    try {
      const inserted = await executor.all(insert, chunk);
      if (inserted.length > 0) return;
      // An earlier try whose answer was lost may have stored it.
      const chunks = await executor.all(stored, { query, ordinal, firstRow });
      if (chunks.length > 0) return;
      throw new SpoolGoneError();
    } catch (error) {
      if (!(error instanceof StoreUnavailableError) || performance.now() > until) throw error;
    }
    await sleep(retry.pause);
  }
}

function endsOf({ lengths, count }: RowChunk): Buffer {
  const ends = Buffer.allocUnsafe(count * entryBytes);
  let at = 0;
  for (let row = 0; row < count; row += 1) {
    if (row > 0) at += 1;
    at += lengths[row] ?? 0;
    ends.writeUInt32LE(at, row * entryBytes);
  }
  return ends;
}
