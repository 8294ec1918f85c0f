import { type Kysely, sql } from 'kysely';
import type { Tables } from '../tables.ts';

/** Which process runs a query, and why it is to stop, where another one was asked to cancel it. */
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
    .addColumn('query_id', 'text', (column) => column.notNull())
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
