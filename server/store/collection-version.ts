import { statement } from './statement.ts';
import { type Collection, type Executor, first } from './store.ts';

const select = statement<{ name: string }>()((db, { name }) =>
  db.selectFrom('collection_version').select('version').where('name', '=', name),
);

const bump = statement<{ name: string }>()((db, { name }) =>
  db
    .updateTable('collection_version')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('name', '=', name),
);

/** Counts the changes of a collection, by whichever process they were made. */
export async function readCollectionVersion(executor: Executor, collection: Collection): Promise<number> {
  const row = await first(executor, select, { name: collection });
  if (row === undefined) throw new Error(`the store does not count the changes of ${collection}`);
  return row.version;
}

/** Says that a collection changed, in the transaction that changes it. */
export async function bumpCollectionVersion(executor: Executor, collection: Collection): Promise<void> {
  await executor.all(bump, { name: collection });
}
