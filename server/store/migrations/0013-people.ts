import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** What people sign in with, their sessions, and which person a query belongs to. */
export async function people(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('person_session')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('token_hash', 'blob', (column) => column.notNull().unique())
    .addColumn('person_id', 'text', (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('state', 'text', (column) => column.notNull())
    .addColumn('factors', 'text', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text', (column) => column.notNull())
    .addColumn('proven_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .addColumn('address', 'text', (column) => column.notNull())
    .addColumn('client', 'text', (column) => column.notNull())
    .addColumn('provider_session', 'text')
    .addColumn('mac', 'blob', (column) => column.notNull())
    .execute();
  await index(db, 'person_session', 'person_id');
  await index(db, 'person_session', 'provider_session');
  await index(db, 'person_session', 'expires_at');
  await db.schema
    .createTable('sign_in_factor')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('person_id', 'text', (column) => column.notNull().references('person.id').onDelete('cascade'))
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('name', 'text', (column) => column.notNull())
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('lookup', 'text', (column) => column.unique())
    .addColumn('counter', 'integer', (column) => column.notNull())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('last_used_at', 'text')
    .execute();
  await index(db, 'sign_in_factor', 'person_id');
  await db.schema
    .createTable('one_time_token')
    .addColumn('id', 'text', (column) => column.primaryKey())
    .addColumn('kind', 'text', (column) => column.notNull())
    .addColumn('token_hash', 'blob', (column) => column.notNull().unique())
    .addColumn('person_id', 'text', (column) => column.references('person.id').onDelete('cascade'))
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('lookup', 'text', (column) => column.unique())
    .addColumn('created_at', 'text', (column) => column.notNull())
    .addColumn('expires_at', 'text', (column) => column.notNull())
    .execute();
  await index(db, 'one_time_token', 'person_id');
  await index(db, 'one_time_token', 'expires_at');
  await db.schema
    .alterTable('query')
    .addColumn('person_id', 'text', (column) => column.references('person.id').onDelete('set null'))
    .execute();
  await db.schema
    .alterTable('query')
    .addColumn('editor_id', 'text', (column) => column.references('editor.id').onDelete('set null'))
    .execute();
  await index(db, 'query', 'person_id');
  await index(db, 'query', 'editor_id');
}

function index(db: Kysely<Tables>, table: string, column: string): Promise<void> {
  return db.schema.createIndex(`${table}_by_${column}`).on(table).column(column).execute();
}
