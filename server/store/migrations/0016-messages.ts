import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** A count of the changes of messages, by which every process finds out that there is a new one. */
export async function messages(db: Kysely<Tables>): Promise<void> {
  await db.insertInto('collection_version').values({ name: 'editor_message' }).execute();
}
