import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Queries and their results. The rows of results are no part of the store: they are in files beside it. */
export async function queries(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('query')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('data_source_id', 'text', (column) => column.notNull().references('data_source.id').onDelete('cascade'))
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text')
    .addColumn('completed_at', 'text')
    .addColumn('success', 'integer')
    .addColumn('num_results', 'integer')
    .addColumn('lease_until', 'text', (column) => column.notNull())
    .execute();
  await db.schema.createIndex('query_by_data_source_id').on('query').column('data_source_id').execute();
  await db.schema.createIndex('query_by_completed_at').on('query').column('completed_at').execute();
  await db.schema
    .createTable('query_result')
    .addColumn('query_id', 'text', (column) => column.notNull().references('query.id').onDelete('cascade'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('type', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('completed_at', 'text')
    .addColumn('detail', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('query_result_key', ['query_id', 'ordinal'])
    .execute();
}
