import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The name that its creator gives an API key. */
export async function keyNames(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('name', 'text').execute();
}
