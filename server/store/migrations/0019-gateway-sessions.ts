import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The open sessions of the gateway, so that every process can list and end them. They belong to the process that has them. */
export async function gatewaySessions(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('gateway_process')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('lease_until', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('gateway_session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('process_id', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull())
    .addColumn('data_source_id', 'text', (column) => column.notNull())
    .addColumn('protocol', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('client', 'text', (column) => column.notNull())
    .addColumn('started_at', 'text', (column) => column.notNull())
    .addColumn('end_reason', 'text')
    .execute();
  for (const column of ['process_id', 'person_id']) {
    await db.schema.createIndex(`gateway_session_by_${column}`).on('gateway_session').column(column).execute();
  }
}
