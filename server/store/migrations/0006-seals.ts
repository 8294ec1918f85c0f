import type { Kysely } from 'kysely';
import type { Tables } from '../tables.ts';

/**
 * Seals of rows and entries, made with the store's key. What a store had before gets its seals when it is first opened with
 * its key (`unlock-store.ts`), and never after that.
 */
export async function seals(db: Kysely<Tables>): Promise<void> {
  await db.schema.alterTable('api_key').addColumn('mac', 'blob').execute();
  await db.schema.alterTable('audit_entry').addColumn('mac', 'text').execute();
}
