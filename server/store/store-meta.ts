import { statement } from './statement.ts';
import { first, type Store } from './store.ts';

const select = statement<{ name: string }>()((db, { name }) =>
  db.selectFrom('store_meta').select('value').where('name', '=', name),
);

const insert = statement<{ name: string; value: string }>()((db, row) =>
  db
    .insertInto('store_meta')
    .values({ name: row.name, value: row.value })
    .onConflict((conflict) => conflict.column('name').doNothing()),
);

/** What the store says about itself, or undefined. */
export async function readStoreMeta(store: Store, name: string): Promise<string | undefined> {
  const row = await store.read((executor) => first(executor, select, { name }));
  return row?.value;
}

/** Writes it down unless it is there already; gives what is there then. */
export async function writeStoreMeta(store: Store, name: string, value: string): Promise<string> {
  const row = await store.write([], async (executor) => {
    await executor.all(insert, { name, value });
    return first(executor, select, { name });
  });
  return row?.value ?? value;
}
