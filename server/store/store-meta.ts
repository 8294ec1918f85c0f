import { findBy, runWith } from './operations.ts';

/** Under this name the store says which key it has, without giving anything of it away. */
export const keyCheckName = 'key_check';

/** What the store says about itself under a name; undefined for nothing. */
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
