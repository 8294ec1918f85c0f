import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

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
