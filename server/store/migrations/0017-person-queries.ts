import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** Reads a person's queries, the newest first, in the order of an index: no page sorts all of them. */
export async function personQueries(db: Kysely<Tables>): Promise<void> {
  await db.schema.createIndex('query_by_person').on('query').columns(['person_id', 'created_at', 'id']).execute();
}
