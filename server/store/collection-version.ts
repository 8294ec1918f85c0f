import { findBy, runBy } from './operations.ts';
import type { Collection, Executor } from './store.ts';

const versionOf = findBy(
  ['name'],
  (db, { name }) => db.selectFrom('collection_version').select('version').where('name', '=', name),
  ({ version }) => version,
);

const increment = runBy(['name'], (db, { name }) =>
  db
    .updateTable('collection_version')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where('name', '=', name),
);

/** The number of changes to a collection, by all processes. */
export async function readCollectionVersion(executor: Executor, collection: Collection): Promise<number> {
  const version = await versionOf(executor, collection);
  if (version === undefined) throw new Error(`the store does not count the changes of ${collection}`);
  return version;
}

/** Counts a change of a collection, in the transaction of the change. */
export async function bumpCollectionVersion(executor: Executor, collection: Collection): Promise<void> {
  await increment(executor, collection);
}
