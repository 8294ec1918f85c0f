import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/** The name that its creator gives an API key. */
export async function keyNames(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('name', 'text').execute();
}

/** The data sources that an API key is limited to, and the token of a pipeline that it was exchanged for. */
export async function limitedKeys(db: Kysely<Tables>): Promise<void> {
  for (const column of ['data_sources', 'token_digest', 'token_expires_at']) {
    await db.schema.alterTable('api_key').addColumn(column, 'text').execute();
  }
  await db.schema.createIndex('api_key_token_digest').on('api_key').column('token_digest').unique().execute();
}
