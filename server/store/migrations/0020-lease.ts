import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The lease on the workspace: one row, or none. */
export async function lease(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('lease')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('key_id', 'text', (column) => column.notNull())
    .addColumn('holder', 'text', (column) => column.notNull())
    .addColumn('taken_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
}
