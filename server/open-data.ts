import { prepareDataFolder } from './data-folder.ts';
import { createKeyHash, type KeyHash } from './secrets/key-hash.ts';
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
}

const keyCheck = 'key_check';

/**
 * Opens the store of a data folder with its key; both are made if the folder has none.
 *
 * @throws StoreKeyError, StoreVersionError, StoreUnavailableError
 */
export async function openData(dataDir: string, environment: Environment): Promise<Data> {
  prepareDataFolder(dataDir);
  const store = await openSqliteStore(dataDir);
  try {
    const expected = await readStoreMeta(store, keyCheck);
    const storeKey = loadStoreKey(dataDir, environment, expected === undefined);
    const found = fingerprint(storeKey);
    // Whoever comes first decides; somebody else may have come since.
    const agreed = expected ?? (await writeStoreMeta(store, keyCheck, found));
    if (agreed !== found) throw new StoreKeyError(`the key is not the one that the store in ${dataDir} was made with`);
    return { store, seal: createSeal(storeKey), keyHash: createKeyHash(storeKey) };
  } catch (error) {
    await store.close();
    throw error;
  }
}
