import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** What the gate asks for: a count of the changes of memberships, and the permissions of one person on one data source. */
export async function access(db: Kysely<Tables>): Promise<void> {
  await db.insertInto('collection_version').values({ name: 'membership' }).execute();
  await db.schema
    .createIndex('permission_by_person_and_data_source')
    .on('permission')
    .columns(['person_id', 'data_source_id'])
    .execute();
}
