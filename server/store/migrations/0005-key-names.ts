import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** What an API key is called, by whoever made it. */
export async function keyNames(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('name', 'text').execute();
}
