import { sql } from 'kysely';
import { createExecutor, createStatementNames } from '../../store/postgresql/executor.ts';
import { createPool } from '../../store/postgresql/pool.ts';
import { sendToPool } from '../../store/postgresql/reader.ts';
import { parseStoreUrl } from '../../store/postgresql/url.ts';
import { statement } from '../../store/statement.ts';
import { type Executor, first } from '../../store/store.ts';
import type { Spool } from '../spool.ts';
import { readPage } from './reader.ts';
import { createChunkWriter } from './writer.ts';

/** One replica's connections for rows: separate, so that a flood of rows does not delay requests. */
const connections = 4;

/** Chunks come in order and without gaps, so the last one has the count. */
const count = statement<{ query: string; ordinal: number }>()((db, { query, ordinal }) =>
  db
    .selectFrom('query_rows')
    .select((eb) => eb('first_row', '+', eb.ref('num_rows')).as('count'))
    .where('query_id', '=', query)
    .where('ordinal', '=', ordinal)
    .orderBy('first_row', 'desc')
    .limit(1),
);

/** The spool of several processes: rows in the database of the store, which must be open. */
export function openPostgresSpool(url: string): Spool {
  const pool = createPool(parseStoreUrl(url), {
    max: connections,
    name: 'rolecall rows',
    // A crash of the server may lose the last rows. The end of a query is written durably, after all of its rows.
    settings: { synchronous_commit: 'off' },
  });
  const send = sendToPool(pool, () => undefined);
  const executor = createExecutor(send, createStatementNames());
  return {
    write: (result, runner) => createChunkWriter(executor, result, runner),
    read: (result, page) => readPage(executor, send, result, page),
    count: async ({ query, ordinal }) => (await first(executor, count, { query, ordinal }))?.count ?? 0,
    remove: (query) => removeRows(executor, query),
    sweep: async () => {
      for (const query of await selectOrphans(executor)) await removeRows(executor, query);
    },
    close: () => pool.end(),
  };
}

/** Chunks that a statement removes: about a second's work. */
const batch = 200;

/** The last chunks first: while any is left, so is the first one, by which a sweep finds them. */
const removeSome = statement<{ query: string; count: number }>()((db, { query, count }) => ({
  compile: () =>
    sql<{ ordinal: number }>`
      delete from query_rows where (query_id, ordinal, first_row) in (
        select query_id, ordinal, first_row from query_rows where query_id = ${query}
        order by ordinal desc, first_row desc limit ${count})
      returning ordinal`.compile(db),
}));

/** Steps from query to query in the index, however many chunks lie between. */
const orphaned = statement()((db) => ({
  compile: () =>
    sql<{ id: string }>`
      with recursive found as (
        (select query_id from query_rows order by query_id limit 1)
        union all
        select (select min(query_rows.query_id) from query_rows where query_rows.query_id > found.query_id)
        from found where found.query_id is not null
      )
      select query_id as id from found
      where query_id is not null and not exists (select 1 from query where query.id = found.query_id)`.compile(db),
}));

/** Removes the rows of a query in parts, so that no statement takes long. */
async function removeRows(executor: Executor, query: string): Promise<void> {
  for (;;) {
    const removed = await executor.all(removeSome, { query, count: batch });
    if (removed.length < batch) return;
  }
}

/** The queries that no longer exist but still have rows. */
async function selectOrphans(executor: Executor): Promise<string[]> {
  const rows = await executor.all(orphaned, {});
  return rows.map(({ id }) => id);
}
