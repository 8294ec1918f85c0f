import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';
import { identified, indexEach, owners, texts } from './columns.ts';

/** Queries and their results. The rows of results are no part of the store: they are in files beside it. */
export async function queries(db: Kysely<Tables>): Promise<void> {
  await identified(db, 'query')
    .$call(owners('data_source'))
    .$call(texts('created_at'))
    .addColumn('started_at', 'text')
    .addColumn('completed_at', 'text')
    .addColumn('success', 'integer')
    .addColumn('num_results', 'integer')
    .$call(texts('lease_until'))
    .execute();
  await indexEach(db, 'query', 'data_source_id', 'completed_at');
  await db.schema
    .createTable('query_result')
    .$call(owners('query'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .$call(texts('type', 'started_at'))
    .addColumn('completed_at', 'text')
    .$call(texts('detail'))
    .addPrimaryKeyConstraint('query_result_key', ['query_id', 'ordinal'])
    .execute();
}

/** Adds the process that runs a query, and the reason why it is to stop, where another one was asked to cancel it. */
export async function replicas(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('query').addColumn('runner', 'text').execute();
  await db.schema.alterTable('query').addColumn('stop_reason', 'text').execute();
}

/**
 * The rows of results, in chunks as they came. No foreign key: who deletes a query must not wait until its rows are gone,
 * they are removed afterwards.
 */
export async function queryRows(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('query_rows')
    .$call(texts('query_id'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('first_row', 'integer', (column) => column.notNull())
    .addColumn('num_rows', 'integer', (column) => column.notNull())
    .addColumn('ends', 'blob', (column) => column.notNull())
    .addColumn('rows', 'blob', (column) => column.notNull())
    .addPrimaryKeyConstraint('query_rows_key', ['query_id', 'ordinal', 'first_row'])
    .execute();
  // Not compressed: a piece of a value is then read without the rest, and writing costs no processor time.
  await sql`alter table query_rows alter column ends set storage external, alter column rows set storage external`.execute(
    db,
  );
}

/** Adds the work of people: versions of tabs, and the commands of their queries. */
export async function work(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('editor_tab')
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .alterTable('query')
    .addColumn('tab_id', 'text', (column) => column.references('editor_tab.id').onDelete('set null'))
    .execute();
  await indexEach(db, 'query', 'tab_id');
  await db.schema
    .createTable('query_command')
    .$call(owners('query'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .$call(texts('text'))
    .addPrimaryKeyConstraint('query_command_once', ['query_id', 'ordinal'])
    .execute();
}

/** Reads a person's queries, the newest first, in the order of an index: no page sorts all of them. */
export async function personQueries(db: Kysely<Tables>): Promise<void> {
  await db.schema.createIndex('query_by_person').on('query').columns(['person_id', 'created_at', 'id']).execute();
}
