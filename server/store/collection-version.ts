import { findBy, listBy, runBy } from './operations.ts';
import type { Collection, Executor } from './store.ts';

const versionOf = findBy(
  ['name'],
  (db, { name }) => db.selectFrom('collection_version').select('version').where('name', '=', name),
  ({ version }) => version,
);

/** Counts a change of a collection, in the transaction of the change. */
export const bumpCollectionVersion = runBy(['name'], (db, { name }) =>
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

const versions = listBy([], (db) => db.selectFrom('collection_version').select(['name', 'version']));

/** The number of changes to each collection. */
export async function readCollectionVersions(executor: Executor): Promise<ReadonlyMap<string, number>> {
  const rows = await versions(executor);
  return new Map(rows.map(({ name, version }) => [name, version]));
}
