import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { identified, indexEach, owners, texts } from './columns.ts';

/** The short-lived passwords with which people come in through the gateway. They go with the session that made them. */
export async function gatewayPasswords(db: Kysely<Tables>): Promise<void> {
  await identified(db, 'gateway_password')
    .$call(owners('person', 'data_source'))
    .addColumn('session_id', 'text', (column) => column.notNull().references('person_session.id').onDelete('cascade'))
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .$call(texts('created_at', 'expires_at'))
    .execute();
  await indexEach(db, 'gateway_password', 'person_id', 'data_source_id', 'session_id', 'expires_at');
}

/** The open sessions of the gateway, so that every process can list and end them. They belong to the process that has them. */
export async function gatewaySessions(db: Kysely<Tables>): Promise<void> {
  await identified(db, 'gateway_process').$call(texts('name', 'lease_until')).execute();
  await identified(db, 'gateway_session')
    .$call(texts('process_id', 'person_id', 'data_source_id', 'protocol', 'address', 'client', 'started_at'))
    .addColumn('end_reason', 'text')
    .execute();
  await indexEach(db, 'gateway_session', 'process_id', 'person_id');
}

/** Adds the places of sessions at their servers. */
export async function gatewaySessionsAtServers(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('gateway_session').addColumn('at_server', 'text').execute();
}
