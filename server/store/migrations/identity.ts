import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import { storeIdentityName } from '../store-meta.ts';
import type { Tables } from '../tables.ts';

/** Draws the identity of the store: identifiers that clients remember mean something in this store only. */
export async function identity(db: Kysely<Tables>): Promise<void> {
  await db.insertInto('store_meta').values({ name: storeIdentityName, value: randomUUID() }).execute();
}
