import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** What people work with: versions of tabs, and what their queries ran. */
export async function work(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .alterTable('editor_tab')
    .addColumn('version', 'integer', (column) => column.notNull().defaultTo(1))
    .execute();
  await db.schema
    .alterTable('query')
    .addColumn('tab_id', 'text', (column) => column.references('editor_tab.id').onDelete('set null'))
    .execute();
  await db.schema.createIndex('query_by_tab_id').on('query').column('tab_id').execute();
  await db.schema
    .createTable('query_command')
    .addColumn('query_id', 'text', (column) => column.notNull().references('query.id').onDelete('cascade'))
    .addColumn('ordinal', 'integer', (column) => column.notNull())
    .addColumn('text', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('query_command_once', ['query_id', 'ordinal'])
    .execute();
}
