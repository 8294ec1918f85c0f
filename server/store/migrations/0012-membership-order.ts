import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * A page of a role's members is read in the order of `seq`. Without these, SQLite sorts all members for each page. PostgreSQL chooses
 * other indexes for it.
 */
export async function membershipOrder(db: Kysely<Tables>): Promise<void> {
  await db.schema.createIndex('role_person_by_role_id').on('role_person').columns(['role_id', 'seq']).execute();
  await db.schema
    .createIndex('role_data_source_by_role_id')
    .on('role_data_source')
    .columns(['role_id', 'seq'])
    .execute();
}
