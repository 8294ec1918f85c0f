import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { AuditTrail, readBounds, type TrailKeys, trailKeys } from '../audit/trail.ts';
import { createKeyHash, type KeyHash } from '../secrets/key-hash.ts';
import { createKeyedDigest, type KeyedDigest } from '../secrets/keyed-digest.ts';
import { createSeal, type Seal } from '../secrets/seal.ts';
import { deriveKey, type Environment, loadStoreKey, requireStoreKey } from '../secrets/store-key.ts';
import { openFileSpool } from '../spool/files/open.ts';
import { openPostgresSpool } from '../spool/postgresql/open.ts';
import type { Spool } from '../spool/spool.ts';
import { openPostgresStore } from '../store/postgresql/open.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { AppendEntries, Store } from '../store/store.ts';
import { prepareDataFolder } from './data-folder.ts';
import { requireOnePlace, type StoreLocation } from './store-location.ts';
import { readKeyCheck, unlockStore } from './unlock-store.ts';

/** An open store, and what reads its secrets. */
export interface Data {
  readonly store: Store;
  /** Opens nothing before it is used. */
  readonly spool: Spool;
  readonly seal: Seal;
  readonly keyHash: KeyHash;
  readonly digest: KeyedDigest;
  /** Seal the audit trail. */
  readonly trailKeys: TrailKeys;
  /** Stays the same when the store's key is changed: checkpoints are kept for long. */
  readonly checkpointKey: KeyObject;
}

/** Where a store is. The service may be running. */
export interface DataLocation extends StoreLocation {
  /** Where ROLECALL_STORE_KEY and ROLECALL_STORE_KEY_FILE are looked for; default: the process's environment. */
  environment?: Environment;
}

/**
 * Opens a store with its key. A data folder gets both if it has none; a database gets its tables, and the key comes from
 * the environment, since every replica needs the same one.
 *
 * @param committed is told how many writes each commit had
 * @throws StoreLocationError, StoreUrlError, StoreKeyError, StoreVersionError, StoreUnavailableError
 */
export async function openData(
  where: StoreLocation,
  environment: Environment,
  committed?: (writes: number) => void,
): Promise<Data> {
  const trail = new AuditTrail();
  const { store, spool, loadKey } = await openPlace(where, environment, trail.append, committed);
  try {
    const storeKey = loadKey((await store.read(readKeyCheck)) === undefined);
    const keys = trailKeys(storeKey);
    trail.useKeys(keys);
    const seal = createSeal(storeKey);
    const inner = await unlockStore(store, storeKey, keys);
    trail.begun(await store.read((executor) => readBounds(executor, keys)));
    return {
      store,
      spool,
      seal,
      keyHash: createKeyHash(inner.apiKeys),
      digest: createKeyedDigest(storeKey),
      trailKeys: keys,
      checkpointKey: deriveKey(inner.apiKeys, 'audit checkpoint'),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a store for one piece of work. @throws what `openData` throws */
export async function withData<T>(
  { environment = process.env, ...where }: DataLocation,
  work: (data: Data) => Promise<T>,
): Promise<T> {
  const data = await openData(where, environment);
  try {
    return await work(data);
  } finally {
    await data.store.close();
  }
}

async function openPlace(
  where: StoreLocation,
  environment: Environment,
  append: AppendEntries,
  committed: ((writes: number) => void) | undefined,
) {
  const place = requireOnePlace(where);
  if (place.databaseUrl === undefined) {
    const { dataDir } = place;
    prepareDataFolder(dataDir);
    return {
      store: await openSqliteStore(dataDir, append, committed),
      spool: openFileSpool(path.join(dataDir, 'spool')),
      loadKey: (mayCreate: boolean) => loadStoreKey(dataDir, environment, mayCreate),
    };
  }
  const { databaseUrl } = place;
  // Before anything is made in the database.
  const key = requireStoreKey(environment);
  return {
    store: await openPostgresStore(databaseUrl, append, committed),
    spool: openPostgresSpool(databaseUrl),
    loadKey: () => key,
  };
}
