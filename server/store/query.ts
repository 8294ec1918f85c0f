import type { Query } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';
import type { Tables } from './tables.ts';

type Row = Omit<Query, 'success'> & { success: number | null };

const columns = [
  'id',
  'created_at as createdAt',
  'started_at as startedAt',
  'completed_at as completedAt',
  'success',
  'num_results as numResults',
] as const;

type NewQuery = { id: string; dataSource: string; createdAt: string; runner: string; leaseUntil: string };

const insert = statement<NewQuery>()((db, query) =>
  db.insertInto('query').values({
    id: query.id,
    data_source_id: query.dataSource,
    created_at: query.createdAt,
    runner: query.runner,
    lease_until: query.leaseUntil,
  }),
);

const open = (db: Kysely<Tables>) => db.selectFrom('query').where('completed_at', 'is', null);

const update = statement<Row & { runner: string }>()((db, query) =>
  db
    .updateTable('query')
    .set({
      started_at: query.startedAt,
      completed_at: query.completedAt,
      success: query.success,
      num_results: query.numResults,
    })
    .where('id', '=', query.id)
    .where('runner', '=', query.runner)
    .where('completed_at', 'is', null)
    .returning('id'),
);

const fail = statement<{ id: string; before: string; at: string; numResults: number }>()((db, query) =>
  db
    .updateTable('query')
    .set({ completed_at: query.at, success: 0, num_results: query.numResults })
    .where('id', '=', query.id)
    .where('completed_at', 'is', null)
    .where('lease_until', '<', query.before)
    .returning('id'),
);

const one = statement<{ id: string }>()((db, { id }) => db.selectFrom('query').select(columns).where('id', '=', id));

const dataSource = statement<{ id: string }>()((db, { id }) =>
  db.selectFrom('query').select('data_source_id as dataSource').where('id', '=', id),
);

const ofDataSource = statement<{ dataSource: string }>()((db, { dataSource }) =>
  db.selectFrom('query').select('id').where('data_source_id', '=', dataSource),
);

const lapsed = statement<{ now: string }>()((db, { now }) => open(db).select(columns).where('lease_until', '<', now));

const running = statement<{ runner: string }>()((db, { runner }) =>
  open(db).select(['id', 'stop_reason as stopReason']).where('runner', '=', runner),
);

const renew = statement<{ runner: string; until: string }>()((db, { runner, until }) =>
  db
    .updateTable('query')
    .set({ lease_until: until })
    .where('runner', '=', runner)
    .where('completed_at', 'is', null)
    .returning('id'),
);

const stop = statement<{ id: string; reason: string }>()((db, { id, reason }) =>
  db
    .updateTable('query')
    .set((eb) => ({ stop_reason: eb.fn.coalesce('stop_reason', eb.val(reason)) }))
    .where('id', '=', id)
    .where('completed_at', 'is', null)
    .returning('id'),
);

const stopOf = statement<{ dataSource: string; runner: string; reason: string }>()((db, query) =>
  db
    .updateTable('query')
    .set((eb) => ({ stop_reason: eb.fn.coalesce('stop_reason', eb.val(query.reason)) }))
    .where('data_source_id', '=', query.dataSource)
    .where('runner', '!=', query.runner)
    .where('completed_at', 'is', null)
    .returning('id'),
);

const remove = statement<{ id: string }>()((db, { id }) =>
  db.deleteFrom('query').where('id', '=', id).returning('data_source_id as dataSource'),
);

const removeCompleted = statement<{ before: string }>()((db, { before }) =>
  db.deleteFrom('query').where('completed_at', '<', before).returning(['id', 'data_source_id as dataSource']),
);

/** Stores a query that has not begun. @param query `leaseUntil`: when it counts as abandoned, unless that is renewed */
export async function insertQuery(executor: Executor, query: NewQuery): Promise<void> {
  await executor.all(insert, query);
}

/**
 * Writes how far a query is.
 *
 * @returns false where it was deleted, or is complete by now: somebody else has found its lease to have run out
 */
export async function updateQuery(executor: Executor, query: Query, runner: string): Promise<boolean> {
  const success = query.success === null ? null : Number(query.success);
  const rows = await executor.all(update, { ...query, success, runner });
  return rows.length > 0;
}

/**
 * Completes a query as failed.
 *
 * @param before its lease must have run out before this time
 * @returns false where it was deleted, is complete by now, or has its lease renewed
 */
export async function failQuery(
  executor: Executor,
  query: { id: string; before: string; at: string; numResults: number },
): Promise<boolean> {
  const rows = await executor.all(fail, query);
  return rows.length > 0;
}

export async function findQuery(executor: Executor, id: string): Promise<Query | undefined> {
  const row = await first(executor, one, { id });
  return row === undefined ? undefined : fromRow(row);
}

export async function findQueryDataSource(executor: Executor, id: string): Promise<string | undefined> {
  return (await first(executor, dataSource, { id }))?.dataSource;
}

/** The identifiers of the queries on a data source. */
export async function selectQueriesOf(executor: Executor, dataSource: string): Promise<string[]> {
  const rows = await executor.all(ofDataSource, { dataSource });
  return rows.map(({ id }) => id);
}

/** Queries that are not complete and whose lease ended before now. */
export async function selectExpired(executor: Executor, now: string): Promise<Query[]> {
  const rows = await executor.all(lapsed, { now });
  return rows.map(fromRow);
}

/** The queries of a runner that are not complete, each with the reason for which it is to stop, or null. */
export async function selectRunning(executor: Executor, runner: string): Promise<Map<string, string | null>> {
  const rows = await executor.all(running, { runner });
  return new Map(rows.map(({ id, stopReason }) => [id, stopReason]));
}

/** Renews the leases of all queries of a runner that are not complete. */
export async function renewLeases(executor: Executor, runner: string, until: string): Promise<void> {
  await executor.all(renew, { runner, until });
}

/** Asks whoever runs a query to stop it. @returns false where there is none that is not complete */
export async function requestStop(executor: Executor, id: string, reason: string): Promise<boolean> {
  const rows = await executor.all(stop, { id, reason });
  return rows.length > 0;
}

/**
 * Asks whoever runs queries on a data source to stop them, but for one runner.
 *
 * @returns the identifiers of those queries
 */
export async function requestStopOf(
  executor: Executor,
  query: { dataSource: string; runner: string; reason: string },
): Promise<string[]> {
  const rows = await executor.all(stopOf, query);
  return rows.map(({ id }) => id);
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
