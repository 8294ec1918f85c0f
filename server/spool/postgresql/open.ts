import { createExecutor, createStatementNames } from '../../store/postgresql/executor.ts';
import { createPool } from '../../store/postgresql/pool.ts';
import { sendToPool } from '../../store/postgresql/reader.ts';
import { parseStoreUrl } from '../../store/postgresql/url.ts';
import { statement } from '../../store/statement.ts';
import { first } from '../../store/store.ts';
import type { Spool } from '../spool.ts';
import { readPage } from './reader.ts';
import { removeRows, selectOrphans } from './remover.ts';
import { createChunkWriter } from './writer.ts';

/** Connections of one replica for rows: apart from the others, so that no flood of rows keeps requests waiting. */
const connections = 4;

/** Chunks come in the order of their rows and without gaps, so the last one tells. */
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
    // A crash of the server may take the last rows. How a query ended is waited for, and all rows come before that.
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
