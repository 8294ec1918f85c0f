import type { KeyObject } from 'node:crypto';
import { createTrail, headKey } from './audit/trail.ts';
import { prepareDataFolder } from './data-folder.ts';
import { createKeyHash, type KeyHash } from './secrets/key-hash.ts';
import { createKeyedDigest, type KeyedDigest } from './secrets/keyed-digest.ts';
import { createSeal, type Seal } from './secrets/seal.ts';
import { type Environment, fingerprint, loadStoreKey } from './secrets/store-key.ts';
import { StoreKeyError } from './store/errors.ts';
import { openSqliteStore } from './store/sqlite/open.ts';
import type { Store } from './store/store.ts';
import { readStoreMeta, writeStoreMeta } from './store/store-meta.ts';

/** An open store, and what reads its secrets. */
export interface Data {
  readonly store: Store;
  readonly seal: Seal;
  readonly keyHash: KeyHash;
  readonly digest: KeyedDigest;
  /** Seals the end of the audit trail. */
  readonly headKey: KeyObject;
}

/** Where a store is. The service may be running. */
export interface DataLocation {
  dataDir: string;
  /** Where ROLECALL_STORE_KEY and ROLECALL_STORE_KEY_FILE are looked for; default: the process's environment. */
  environment?: Environment;
}

const keyCheck = 'key_check';

/**
 * Opens the store of a data folder with its key; both are made if the folder has none.
 *
 * @param committed is told how many writes each commit had
 * @throws StoreKeyError, StoreVersionError, StoreUnavailableError
 */
export async function openData(
  dataDir: string,
  environment: Environment,
  committed?: (writes: number) => void,
): Promise<Data> {
  prepareDataFolder(dataDir);
  const trail = createTrail();
  const store = await openSqliteStore(dataDir, trail.append, committed);
  try {
    const expected = await readStoreMeta(store, keyCheck);
    const storeKey = loadStoreKey(dataDir, environment, expected === undefined);
    const found = fingerprint(storeKey);
    // Whoever comes first decides; somebody else may have come since.
    const agreed = expected ?? (await writeStoreMeta(store, keyCheck, found));
    if (agreed !== found) throw new StoreKeyError(`the key is not the one that the store in ${dataDir} was made with`);
    trail.useKey(storeKey);
    return {
      store,
      seal: createSeal(storeKey),
      keyHash: createKeyHash(storeKey),
      digest: createKeyedDigest(storeKey),
      headKey: headKey(storeKey),
    };
  } catch (error) {
    await store.close();
    throw error;
  }
}

/** Opens a store for one piece of work. @throws what `openData` throws */
export async function withData<T>(
  { dataDir, environment = process.env }: DataLocation,
  work: (data: Data) => Promise<T>,
): Promise<T> {
  const data = await openData(dataDir, environment);
  try {
    return await work(data);
  } finally {
    await data.store.close();
  }
}
