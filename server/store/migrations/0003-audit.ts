import { type Kysely, sql } from 'kysely';
import { firstHash } from '../../audit/chain.ts';
import type { Tables } from '../tables.ts';

/** The audit trail, and the answers that are given again to who asks again with the same Idempotency-Key. */
export async function audit(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('audit_entry')
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('content', 'text', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .execute();
  await db.schema
    .createTable('audit_head')
    .addColumn('name', 'text', (column) => column.primaryKey())
    .addColumn('seq', 'integer', (column) => column.notNull())
    .addColumn('hash', 'text', (column) => column.notNull())
    .addColumn('mac', 'text', (column) => column.notNull())
    .execute();
  await sql`insert into audit_head (name, seq, hash, mac) values ('head', 0, ${firstHash}, '')`.execute(db);
  await db.schema
    .createTable('idempotency_key')
    .addColumn('api_key_id', 'text', (column) => column.notNull())
    .addColumn('key', 'text', (column) => column.notNull())
    .addColumn('fingerprint', 'blob', (column) => column.notNull())
    .addColumn('answer', 'blob')
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addPrimaryKeyConstraint('idempotency_key_once', ['api_key_id', 'key'])
    .execute();
  await db.schema.createIndex('idempotency_key_by_created_at').on('idempotency_key').column('created_at').execute();
}
