import { findBy, runWith } from './operations.ts';
import type { Store } from './store.ts';

/** Under this name the store says which key it has, without giving anything of it away. */
export const keyCheckName = 'key_check';

/** Under this name the store has its identity, which it keeps when it is restored. */
export const storeIdentityName = 'identity';

/** Reads a record of the store about itself by its name; undefined for none. */
export const readStoreMeta = findBy(
  ['name'],
  (db, { name }) => db.selectFrom('store_meta').select('value').where('name', '=', name),
  ({ value }) => value,
);

export const writeStoreMeta = runWith<{ name: string; value: string }>((db, row) =>
  db
    .insertInto('store_meta')
    .values({ name: row.name, value: row.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value })),
);

/** Reads the identity of a store, which a migration has drawn. */
export async function readStoreIdentity(store: Pick<Store, 'read'>): Promise<string> {
  const identity = await store.read((executor) => readStoreMeta(executor, storeIdentityName));
  if (identity === undefined) throw new Error('the store has lost its identity: restore a backup');
  return identity;
}
