import { randomInt } from 'node:crypto';
import { findBy, listBy, runWith } from './operations.ts';
import type { Collection, Executor } from './store.ts';

const versionOf = findBy(
  ['name'],
  (db, { name }) => db.selectFrom('collection_version').select('version').where('name', '=', name),
  ({ version }) => version,
);

const widestStep = 2 ** 16;

const raise = runWith<{ name: string; step: number }>((db, { name, step }) =>
  db
    .updateTable('collection_version')
    .set((eb) => ({ version: eb('version', '+', step) }))
    .where('name', '=', name),
);

/**
 * Gives a collection another version, in the transaction of a change. A random step: counted by one, a store that was restored would
 * come to versions that it had before, and answer that nothing has changed to clients that have the other content.
 */
export async function bumpCollectionVersion(executor: Executor, name: Collection): Promise<void> {
  await raise(executor, { name, step: randomInt(1, widestStep) });
}

/** The version of a collection. */
export async function readCollectionVersion(executor: Executor, collection: Collection): Promise<number> {
  const version = await versionOf(executor, collection);
  if (version === undefined) throw new Error(`the store has no version of ${collection}`);
  return version;
}

const versions = listBy([], (db) => db.selectFrom('collection_version').select(['name', 'version']));

/** The version of each collection. */
export async function readCollectionVersions(executor: Executor): Promise<ReadonlyMap<string, number>> {
  const rows = await versions(executor);
  return new Map(rows.map(({ name, version }) => [name, version]));
}
