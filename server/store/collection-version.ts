import { findBy, listBy, runEach } from './operations.ts';
import type { Collection, Executor } from './store.ts';

const versionOf = findBy(
  ['name'],
  (db, { name }) => db.selectFrom('collection_version').select('version').where('name', '=', name),
  ({ version }) => version,
);

const bump = runEach<{ name: string }>((db, rows) =>
  db
    .updateTable('collection_version')
    .set((eb) => ({ version: eb('version', '+', 1) }))
    .where(
      'name',
      'in',
      rows.map(({ name }) => name),
    ),
);

/** Counts a change of each of some collections, in the transaction of the change. */
export async function bumpCollectionVersions(executor: Executor, collections: Iterable<Collection>): Promise<void> {
  await bump(
    executor,
    Array.from(collections, (name) => ({ name })),
  );
}

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
