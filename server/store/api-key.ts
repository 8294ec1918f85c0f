import type { Seal, SealedFields } from '../secrets/seal.ts';
import { type Fields, rowOf } from './columns.ts';
import { findBy, listBy, runBy, runWith } from './operations.ts';
import type { Executor } from './store.ts';
import { keyCheckName } from './store-meta.ts';

const columns = [
  'id',
  'name',
  'secret_hash as secretHash',
  'scope',
  'created_at as createdAt',
  'rotated_at as rotatedAt',
  'expires_at as expiresAt',
  'revoked_at as revokedAt',
  'mac',
  'data_sources as dataSources',
  'token_digest as tokenDigest',
  'token_expires_at as tokenExpiresAt',
] as const;

type Row = Fields<'api_key', typeof columns>;

/** A key as it is stored; times are ISO 8601, null for never. */
export interface StoredKey extends Omit<Row, 'dataSources'> {
  /** The identifiers of the data sources that it is limited to; null for all. */
  readonly dataSources: string[] | null;
}

/** A key as it is listed. */
export type KeyRecord = Omit<StoredKey, 'secretHash' | 'mac' | 'tokenDigest' | 'tokenExpiresAt'>;

const insert = runWith<Row>((db, key) => db.insertInto('api_key').values(rowOf(columns, key)));

/** Updates the fields that change in the life of a key. */
const update = runWith<Pick<Row, 'id' | 'secretHash' | 'rotatedAt' | 'revokedAt' | 'mac'>>((db, key) =>
  db
    .updateTable('api_key')
    .set({ secret_hash: key.secretHash, rotated_at: key.rotatedAt, revoked_at: key.revokedAt, mac: key.mac })
    .where('id', '=', key.id),
);

export const findKey = findBy(
  ['id'],
  (db, { id }) => db.selectFrom('api_key').select(columns).where('id', '=', id),
  stored,
);

/**
 * A key, with the check of the store's key (`store_meta`) that its hash and its MAC go with: in one statement, so that neither
 * changes in between.
 */
export const findKeyWithCheck = findBy(
  ['id'],
  (db, { id }) =>
    db
      .selectFrom('api_key')
      .select(columns)
      .select((eb) => eb.selectFrom('store_meta').select('value').where('name', '=', keyCheckName).as('keyCheck'))
      .where('id', '=', id),
  ({ keyCheck, ...row }) => ({ key: stored(row), keyCheck }),
);

/** All keys, the revoked ones too, oldest first. */
export const selectKeys = listBy(
  [],
  (db) => db.selectFrom('api_key').select(columns).orderBy('created_at').orderBy('id'),
  stored,
);

/** Deletes the keys that tokens were exchanged for, once both are over: before, the key tells that its token was used. */
export const deleteExchangedKeys = runBy(['now'], (db, { now }) =>
  db.deleteFrom('api_key').where('token_expires_at', '<=', now).where('expires_at', '<=', now),
);

/** The key that a token was exchanged for. */
export const findExchangedKey = findBy(
  ['digest'],
  (db, { digest }) => db.selectFrom('api_key').select('id').where('token_digest', '=', digest),
  ({ id }) => id,
);

/** Counts the keys that tokens were exchanged for, those that are over but not yet deleted too. */
export const countExchangedKeys = findBy(
  [],
  (db) =>
    db
      .selectFrom('api_key')
      .select((eb) => eb.fn.count('id').as('count'))
      .where('token_digest', 'is not', null),
  ({ count }) => Number(count),
);

/**
 * Every column that decides what a key may do, or who it is. A column that is added to the table belongs in here; null
 * counts as absent, so that rows from before the column keep their seal.
 */
function sealedFields(key: Omit<StoredKey, 'mac'>): SealedFields {
  const { name, secretHash, scope, createdAt, rotatedAt, expiresAt, revokedAt, tokenDigest, tokenExpiresAt } = key;
  const rights = { scope, dataSources: joined(key.dataSources), expiresAt, revokedAt };
  return { name, secretHash, createdAt, rotatedAt, ...rights, tokenDigest, tokenExpiresAt };
}

const rowName = (id: string): string => `api_key ${id}`;

/** True if the row is as the service wrote it. A key whose row was changed in the database has no rights. */
export function isIntact(seal: Seal, key: StoredKey): boolean {
  return seal.matches(key.mac, rowName(key.id), sealedFields(key));
}

export async function insertKey(executor: Executor, seal: Seal, key: Omit<StoredKey, 'mac'>): Promise<void> {
  await insert(executor, {
    ...key,
    dataSources: joined(key.dataSources),
    mac: seal.mac(rowName(key.id), sealedFields(key)),
  });
}

/** Changes a key that was read in the same transaction. One that is not intact does not become so by it. */
export async function updateKey(
  executor: Executor,
  seal: Seal,
  key: StoredKey,
  change: Partial<Pick<StoredKey, 'secretHash' | 'rotatedAt' | 'revokedAt'>>,
): Promise<StoredKey> {
  const changed = { ...key, ...change };
  const mac = isIntact(seal, key) ? seal.mac(rowName(key.id), sealedFields(changed)) : null;
  await update(executor, { ...changed, mac });
  return { ...changed, mac };
}

/**
 * Gives every key its MAC under a new seal.
 *
 * @param options.mayBeSealed which of them; the others have none afterwards
 * @param options.rehash gives the hash of a secret under the new keys; default: it stays the same
 */
export async function sealKeys(
  executor: Executor,
  seal: Seal,
  {
    mayBeSealed,
    rehash = (hash) => hash,
  }: { mayBeSealed: (key: StoredKey) => boolean; rehash?: (hash: Uint8Array) => Uint8Array },
): Promise<void> {
  const keys = await selectKeys(executor);
  // Not one after the other: PostgreSQL takes them without a round trip for each.
  await Promise.all(
    keys.map(async (key) => {
      const changed = { ...key, secretHash: rehash(key.secretHash) };
      const mac = mayBeSealed(key) ? seal.mac(rowName(key.id), sealedFields(changed)) : null;
      await update(executor, { ...changed, mac });
    }),
  );
}

function stored(row: Row): StoredKey {
  return { ...row, dataSources: row.dataSources?.split(' ') ?? null };
}

/** Identifiers have no blanks. */
function joined(dataSources: readonly string[] | null): string | null {
  return dataSources === null ? null : dataSources.join(' ');
}
