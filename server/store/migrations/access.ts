import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';
import { identified, texts } from './columns.ts';

/** Adds the manager, such as a repository or a cluster, that last wrote an object, and the manager that runs a list exactly. */
export async function managers(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('manager')
    .$call(texts('kind', 'id', 'manager', 'at'))
    .addPrimaryKeyConstraint('manager_once', ['kind', 'id'])
    .execute();
}

/** Adds what the gate asks for: a count of changes of memberships, and the permissions of a person on a data source. */
export async function access(db: Kysely<Tables>): Promise<void> {
  await db.insertInto('collection_version').values({ name: 'membership' }).execute();
  await db.schema
    .createIndex('permission_by_person_and_data_source')
    .on('permission')
    .columns(['person_id', 'data_source_id'])
    .execute();
}

/**
 * A page of a role's members is read in the order of `seq`. Without these, SQLite sorts all members for each page. PostgreSQL chooses
 * other indexes for it.
 */
export async function membershipOrder(db: Kysely<Tables>): Promise<void> {
  for (const table of ['role_person', 'role_data_source']) {
    await db.schema.createIndex(`${table}_by_role_id`).on(table).columns(['role_id', 'seq']).execute();
  }
}

/** The lease on the workspace: one row, or none. */
export async function lease(db: Kysely<Tables>): Promise<void> {
  await identified(db, 'lease')
    .$call(texts('key_id', 'holder', 'taken_at', 'expires_at'))
    .execute();
}

/** The times in which a person has a role. A membership without any holds as long as it is there. */
export async function membershipWindows(db: Kysely<Tables>): Promise<void> {
  await db.schema
    .createTable('role_person_window')
    .addColumn('seq', 'integer', (column) => column.primaryKey())
    .addColumn('role_id', 'text', (column) => column.notNull())
    .addColumn('person_id', 'text', (column) => column.notNull())
    // Null: from when the membership was made, and until it is removed.
    .addColumn('starts_at', 'text')
    .addColumn('expires_at', 'text')
    .addForeignKeyConstraint(
      'role_person_window_membership',
      ['role_id', 'person_id'],
      'role_person',
      ['role_id', 'person_id'],
      (constraint) => constraint.onDelete('cascade'),
    )
    .execute();
  await db.schema
    .createIndex('role_person_window_by_membership')
    .on('role_person_window')
    .columns(['person_id', 'role_id'])
    .execute();
  await db.schema.createIndex('role_person_window_by_role').on('role_person_window').columns(['role_id']).execute();
}
