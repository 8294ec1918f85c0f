import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The short-lived passwords with which people come in through the gateway. They go with the session that made them. */
export async function gatewayPasswords(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('gateway_password')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('data_source_id', 'text', (column) => column.notNull().references('data_source.id').onDelete('cascade'))
    .addColumn('session_id', 'text', (column) => column.notNull().references('person_session.id').onDelete('cascade'))
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  for (const column of ['person_id', 'data_source_id', 'session_id', 'expires_at']) {
    await db.schema.createIndex(`gateway_password_by_${column}`).on('gateway_password').column(column).execute();
  }
}
