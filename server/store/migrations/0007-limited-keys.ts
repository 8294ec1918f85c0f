import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The data sources that an API key is limited to, and the token of a pipeline that it was exchanged for. */
export async function limitedKeys(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('data_sources', 'text').execute();
  await db.schema.alterTable('api_key').addColumn('token_digest', 'text').execute();
  await db.schema.alterTable('api_key').addColumn('token_expires_at', 'text').execute();
  await db.schema.createIndex('api_key_token_digest').on('api_key').column('token_digest').unique().execute();
}
