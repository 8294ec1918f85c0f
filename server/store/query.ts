import type { Query } from '@rolecall/api';
import type { Kysely } from 'kysely';
import { batchSize, changeInBatches } from './batches.ts';
import { type Fields, rowOf } from './columns.ts';
import { changeBy, changeWith, findBy, listBy, runBy, runWith } from './operations.ts';
import { statement } from './statement.ts';
import type { Executor } from './store.ts';
import type { Tables } from './tables.ts';

const columns = [
  'id',
  'created_at as createdAt',
  'started_at as startedAt',
  'completed_at as completedAt',
  'success',
  'num_results as numResults',
] as const;

type Row = Fields<'query', typeof columns>;

const inserted = [
  'id',
  'data_source_id as dataSource',
  'created_at as createdAt',
  'runner',
  'lease_until as leaseUntil',
  'person_id as person',
  'editor_id as editor',
  'tab_id as tab',
] as const;

/** Stores a query that has not begun. */
export const insertQuery = runWith<Fields<'query', typeof inserted>>((db, query) =>
  db.insertInto('query').values(rowOf(inserted, query)),
);

const open = (db: Kysely<Tables>) => db.selectFrom('query').where('completed_at', 'is', null);

const update = statement<Row & { runner: string; stopReason: string | null }>()((db, query) =>
  db
    .updateTable('query')
    .set((eb) => ({
      started_at: query.startedAt,
      completed_at: query.completedAt,
      success: query.success,
      num_results: query.numResults,
      stop_reason: eb.fn.coalesce('stop_reason', eb.val(query.stopReason)),
    }))
    .where('id', '=', query.id)
    .where('runner', '=', query.runner)
    .where('completed_at', 'is', null)
    .returning('id'),
);

/**
 * Completes a query as failed.
 *
 * @param query only if its lease ended before `before`
 * @returns false if it was deleted, is complete by now, or had its lease renewed
 */
export const failQuery = changeWith<{ id: string; before: string; at: string; numResults: number }>((db, query) =>
  db
    .updateTable('query')
    .set({ completed_at: query.at, success: 0, num_results: query.numResults })
    .where('id', '=', query.id)
    .where('completed_at', 'is', null)
    .where('lease_until', '<', query.before)
    .returning('id'),
);

export const findQuery = findBy(
  ['id'],
  (db, { id }) => db.selectFrom('query').select(columns).where('id', '=', id),
  fromRow,
);

export const findQueryDataSource = findBy(
  ['id'],
  (db, { id }) => db.selectFrom('query').select('data_source_id as dataSource').where('id', '=', id),
  ({ dataSource }) => dataSource,
);

/** Deletes the queries on a data source. @returns their identifiers */
export const deleteQueriesOf = changeInBatches(
  ['dataSource'],
  batchSize.rows,
  (db, { dataSource }, limit) =>
    db
      .deleteFrom('query')
      .where('id', 'in', db.selectFrom('query').select('id').where('data_source_id', '=', dataSource).limit(limit))
      .returning('id'),
  ({ id }) => id,
);

/** Leaves the queries of a person without one. */
export const disownPersonQueries = changeInBatches(['person'], batchSize.rows, (db, { person }, limit) => {
  const some = db.selectFrom('query').select('id').where('person_id', '=', person).limit(limit);
  return db.updateTable('query').set({ person_id: null }).where('id', 'in', some).returning('id');
});

/** Leaves the queries that ran in editors of a person without an editor. */
export const disownEditorQueries = changeInBatches(['person'], batchSize.rows, (db, { person }, limit) => {
  const editors = db.selectFrom('editor').select('editor.id').where('editor.person_id', '=', person);
  const some = db.selectFrom('query').select('id').where('editor_id', 'in', editors).limit(limit);
  return db.updateTable('query').set({ editor_id: null }).where('id', 'in', some).returning('id');
});

/** Queries that are not complete and whose lease ended before now. */
export const selectExpired = listBy(
  ['now'],
  (db, { now }) => open(db).select(columns).where('lease_until', '<', now),
  fromRow,
);

const running = listBy(['runner'], (db, { runner }) =>
  open(db).select(['id', 'stop_reason as stopReason']).where('runner', '=', runner),
);

/** The queries of a runner that are not complete, each with the reason to stop it, or null. */
export async function selectRunning(executor: Executor, runner: string): Promise<Map<string, string | null>> {
  const rows = await running(executor, runner);
  return new Map(rows.map(({ id, stopReason }) => [id, stopReason]));
}

/** Renews the leases of all queries of a runner that are not complete. */
export const renewLeases = runBy(['runner', 'until'], (db, { runner, until }) =>
  db.updateTable('query').set({ lease_until: until }).where('runner', '=', runner).where('completed_at', 'is', null),
);

/** Asks the runner of a query to stop it. @returns false if no such query is open */
export const requestStop = changeBy(['id', 'reason'], (db, { id, reason }) =>
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

/** @returns the data source of the query that was deleted; undefined if there is no such query */
export const deleteQuery = findBy(
  ['id'],
  (db, { id }) => db.deleteFrom('query').where('id', '=', id).returning('data_source_id as dataSource'),
  ({ dataSource }) => dataSource,
);

/** Deletes queries that completed before a time, as many as one statement takes. @returns what was deleted */
export const deleteCompletedQueries = listBy(['before'], (db, { before }) =>
  db
    .deleteFrom('query')
    .where('id', 'in', db.selectFrom('query').select('id').where('completed_at', '<', before).limit(batchSize.rows))
    .returning(['id', 'data_source_id as dataSource']),
);

/**
 * Stores the state of a query.
 *
 * @param stopReason why its runner stops it; null if it does not
 * @returns false if it was deleted, or is complete by now because another process found its lease expired
 */
export async function updateQuery(
  executor: Executor,
  query: Query,
  runner: string,
  stopReason: string | null,
): Promise<boolean> {
  const success = query.success === null ? null : Number(query.success);
  const rows = await executor.all(update, { ...query, success, runner, stopReason });
  return rows.length > 0;
}

/**
 * Asks the runners of queries on a data source to stop them, except for one runner.
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

function fromRow(row: Row): Query {
  return { ...row, success: row.success === null ? null : row.success !== 0 };
}

/** The data source of a query that this person runs. */
export const findQueryOfPerson = findBy(['id', 'person'], (db, { id, person }) =>
  db.selectFrom('query').select('data_source_id as dataSource').where('id', '=', id).where('person_id', '=', person),
);

/** The queries of people that completed after a time, by the clocks of those that ran them. */
export const selectCompletedSince = listBy(['since'], (db, { since }) =>
  db
    .selectFrom('query')
    .select([
      'id',
      'person_id as person',
      'editor_id as editorId',
      'completed_at as completedAt',
      'success',
      'num_results as numResults',
    ])
    .where('completed_at', '>', since)
    .where('person_id', 'is not', null),
);
