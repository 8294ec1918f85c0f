import type { Query } from '@rolecall/api';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

type Row = Omit<Query, 'success'> & { success: number | null };

const columns = [
  'id',
  'created_at as createdAt',
  'started_at as startedAt',
  'completed_at as completedAt',
  'success',
  'num_results as numResults',
] as const;

const insert = statement<{ id: string; dataSource: string; createdAt: string; leaseUntil: string }>()((db, query) =>
  db.insertInto('query').values({
    id: query.id,
    data_source_id: query.dataSource,
    created_at: query.createdAt,
    lease_until: query.leaseUntil,
  }),
);

const update = statement<Row>()((db, query) =>
  db
    .updateTable('query')
    .set({
      started_at: query.startedAt,
      completed_at: query.completedAt,
      success: query.success,
      num_results: query.numResults,
    })
    .where('id', '=', query.id)
    .returning('id'),
);

const one = statement<{ id: string }>()((db, { id }) => db.selectFrom('query').select(columns).where('id', '=', id));

const ofDataSource = statement<{ dataSource: string }>()((db, { dataSource }) =>
  db.selectFrom('query').select('id').where('data_source_id', '=', dataSource),
);

const lapsed = statement<{ now: string }>()((db, { now }) =>
  db.selectFrom('query').select(columns).where('completed_at', 'is', null).where('lease_until', '<', now),
);

const renew = statement<{ id: string; until: string }>()((db, { id, until }) =>
  db.updateTable('query').set({ lease_until: until }).where('id', '=', id).where('completed_at', 'is', null),
);

const remove = statement<{ id: string }>()((db, { id }) =>
  db.deleteFrom('query').where('id', '=', id).returning('data_source_id as dataSource'),
);

const removeCompleted = statement<{ before: string }>()((db, { before }) =>
  db.deleteFrom('query').where('completed_at', '<', before).returning(['id', 'data_source_id as dataSource']),
);

/** Stores a query that has not begun. @param leaseUntil when it counts as abandoned, unless the lease is renewed */
export async function insertQuery(
  executor: Executor,
  query: { id: string; dataSource: string; createdAt: string; leaseUntil: string },
): Promise<void> {
  await executor.all(insert, query);
}

/** Writes how far a query is. @returns false where it was deleted */
export async function updateQuery(executor: Executor, query: Query): Promise<boolean> {
  const success = query.success === null ? null : Number(query.success);
  const rows = await executor.all(update, { ...query, success });
  return rows.length > 0;
}

export async function findQuery(executor: Executor, id: string): Promise<Query | undefined> {
  const row = await first(executor, one, { id });
  return row === undefined ? undefined : fromRow(row);
}

/** The identifiers of the queries on a data source. */
export async function selectQueriesOf(executor: Executor, dataSource: string): Promise<string[]> {
  const rows = await executor.all(ofDataSource, { dataSource });
  return rows.map(({ id }) => id);
}

/** Queries that are not complete and whose lease ended before now. */
export async function selectLapsed(executor: Executor, now: string): Promise<Query[]> {
  const rows = await executor.all(lapsed, { now });
  return rows.map(fromRow);
}

export async function renewLease(executor: Executor, id: string, until: string): Promise<void> {
  await executor.all(renew, { id, until });
}

/** The data source of the query that was deleted, or undefined where there is no such query. */
export async function deleteQuery(executor: Executor, id: string): Promise<string | undefined> {
  const row = await first(executor, remove, { id });
  return row?.dataSource;
}

/** Deletes what completed before a time; gives what was deleted. */
export async function deleteCompletedQueries(
  executor: Executor,
  before: string,
): Promise<{ id: string; dataSource: string }[]> {
  return executor.all(removeCompleted, { before });
}

function fromRow(row: Row): Query {
  return { ...row, success: row.success === null ? null : row.success !== 0 };
}
