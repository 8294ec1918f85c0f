import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** How far each sink of the audit trail has come, and which process delivers to it. */
export async function auditSinks(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_sink')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('owner', 'text', (column) => column.notNull())
    .addColumn('lease_until', 'text', (column) => column.notNull())
    .execute();
}
