import { statement } from './statement.ts';
import { type Executor, first } from './store.ts';

/** Under this name the store says which key it has, without giving anything of it away. */
export const keyCheckName = 'key_check';

const select = statement<{ name: string }>()((db, { name }) =>
  db.selectFrom('store_meta').select('value').where('name', '=', name),
);

const upsert = statement<{ name: string; value: string }>()((db, row) =>
  db
    .insertInto('store_meta')
    .values({ name: row.name, value: row.value })
    .onConflict((conflict) => conflict.column('name').doUpdateSet({ value: row.value })),
);

/** What the store says about itself, or undefined. */
export async function readStoreMeta(executor: Executor, name: string): Promise<string | undefined> {
  const row = await first(executor, select, { name });
  return row?.value;
}

export async function writeStoreMeta(executor: Executor, name: string, value: string): Promise<void> {
  await executor.all(upsert, { name, value });
}
