import { sql } from 'kysely';
import { statement } from '../../store/statement.ts';
import type { Executor } from '../../store/store.ts';

/** Chunks that one statement removes: about a second's work. */
const batch = 200;

/** The last chunks first: as long as any is left, so is the first one, by which a sweep finds them. */
const removeSome = statement<{ query: string; count: number }>()((db, { query, count }) => ({
  compile: () =>
    sql<{ ordinal: number }>`
      delete from query_rows where (query_id, ordinal, first_row) in (
        select query_id, ordinal, first_row from query_rows where query_id = ${query}
        order by ordinal desc, first_row desc limit ${count})
      returning ordinal`.compile(db),
}));

/** Steps from one query to the next in the index, whatever the number of chunks between. */
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

/** Removes the rows of a query, a part at a time, so that no statement takes long. */
export async function removeRows(executor: Executor, query: string): Promise<void> {
  for (;;) {
    const removed = await executor.all(removeSome, { query, count: batch });
    if (removed.length < batch) return;
  }
}

/** The queries that are gone and whose rows are there. */
export async function selectOrphans(executor: Executor): Promise<string[]> {
  const rows = await executor.all(orphaned, {});
  return rows.map(({ id }) => id);
}
