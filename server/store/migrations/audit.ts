import { type Kysely, sql } from 'kysely';
import { firstHash } from '../../audit/chain.ts';
import type { Tables } from '../tables.ts';
import { indexEach, texts } from './columns.ts';

/** The audit trail, and the answers that are given again to who asks again with the same Idempotency-Key. */
export async function audit(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_entry')
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .$call(texts('content', 'hash'))
    .execute();
  await db.schema
    .createTable('audit_head')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .$call(texts('hash', 'mac'))
    .execute();
  await sql`insert into audit_head (name, seq, hash, mac) values ('head', 0, ${firstHash}, '')`.execute(db);
  await db.schema
    .createTable('idempotency_key')
    .$call(texts('api_key_id', 'key'))
    .addColumn('fingerprint', 'blob', (column) => column.notNull())
    .addColumn('answer', 'blob')
    .$call(texts('created_at'))
    .addPrimaryKeyConstraint('idempotency_key_once', ['api_key_id', 'key'])
    .execute();
  await indexEach(db, 'idempotency_key', 'created_at');
}

/**
 * Seals of rows and entries, made with the store's key. What a store had before gets its seals when it is first opened with
 * its key (`unlock-store.ts`), and never after that.
 */
export async function seals(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('mac', 'blob').execute();
  await db.schema.alterTable('audit_entry').addColumn('mac', 'text').execute();
}

/** Adds the progress of each sink of the audit trail, and the process that delivers to it. */
export async function auditSinks(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_sink')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .$call(texts('hash', 'owner', 'lease_until'))
    .execute();
}
