import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { identified, indexEach, owners, texts } from './columns.ts';

/** Adds the sign-in factors of people, their sessions, and the person that a query belongs to. */
export async function people(db: Kysely<Tables>): Promise<void> {
  await identified(db, 'person_session')
    .addColumn('token_hash', 'blob', (column) => column.notNull().unique())
    .$call(owners('person'))
    .$call(texts('kind', 'state', 'factors', 'created_at', 'last_used_at', 'proven_at', 'expires_at'))
    .$call(texts('address', 'client'))
    .addColumn('provider_session', 'text')
    .addColumn('mac', 'blob', (column) => column.notNull())
    .execute();
  await indexEach(db, 'person_session', 'person_id', 'provider_session', 'expires_at');
  await identified(db, 'sign_in_factor')
    .$call(owners('person'))
    .$call(texts('kind', 'name'))
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('lookup', 'text', (column) => column.unique())
    .addColumn('counter', 'integer', (column) => column.notNull())
    .$call(texts('created_at'))
    .addColumn('last_used_at', 'text')
    .execute();
  await indexEach(db, 'sign_in_factor', 'person_id');
  await identified(db, 'one_time_token')
    .$call(texts('kind'))
    .addColumn('token_hash', 'blob', (column) => column.notNull().unique())
    .addColumn('person_id', 'text', (column) => column.references('person.id').onDelete('cascade'))
    .addColumn('sealed', 'blob', (column) => column.notNull())
    .addColumn('lookup', 'text', (column) => column.unique())
    .$call(texts('created_at', 'expires_at'))
    .execute();
  await indexEach(db, 'one_time_token', 'person_id', 'expires_at');
  for (const owner of ['person', 'editor']) {
    await db.schema
      .alterTable('query')
      .addColumn(`${owner}_id`, 'text', (column) => column.references(`${owner}.id`).onDelete('set null'))
      .execute();
  }
  await indexEach(db, 'query', 'person_id', 'editor_id');
}

/** Adds the idle time of each session, so that the gateway knows it too. */
export async function sessionIdleness(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('person_session').addColumn('idle_seconds', 'integer').execute();
}

/** A count of the changes of messages, by which every process finds out that there is a new one. */
export async function messages(db: Kysely<Tables>): Promise<void> {
  await db.insertInto('collection_version').values({ name: 'editor_message' }).execute();
}
