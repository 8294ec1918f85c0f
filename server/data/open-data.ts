import type { KeyObject } from 'node:crypto';
import path from 'node:path';
import { AuditTrail } from '../audit/trail.ts';
import type { KeyHash } from '../secrets/key-hash.ts';
import { type Environment, givenKeySource, type KeySource, requireKeySource } from '../secrets/key-source.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import { openFileSpool } from '../spool/files/open.ts';
import { openPostgresSpool } from '../spool/postgresql/open.ts';
import type { Spool } from '../spool/spool.ts';
import { openPostgresStore } from '../store/postgresql/open.ts';
import { openSqliteStore } from '../store/sqlite/open.ts';
import type { AppendEntries, Store } from '../store/store.ts';
import { prepareDataFolder } from './data-folder.ts';
import { OwnKeyFile } from './key-file.ts';
import { StoreKeys } from './store-keys.ts';
import { requireOnePlace, type StoreLocation } from './store-location.ts';

/** An open store, and what reads its secrets. */
export interface Data {
  readonly store: Store;
  /** Opens nothing before it is used. */
  readonly spool: Spool;
  /** The next three work with the key that the store has at the moment. */
  readonly seal: Seal;
  readonly keyHash: KeyHash;
  readonly digest: KeyedDigest;
  readonly keys: StoreKeys;
}

/** Location of a store. The service may be running. */
export interface DataLocation extends StoreLocation {
  /** Environment with the variables ROLECALL_STORE_KEY…; default: the process's environment. */
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
  const { store, spool, source, sourceKeys } = await openPlace(where, environment, trail.append, committed);
  try {
    const keys = await StoreKeys.open({ store, source, trail }, sourceKeys);
    const { seal, keyHash, digest } = keys;
    return { store: keys.follower(store), spool, seal, keyHash, digest, keys };
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
): Promise<{ store: Store; spool: Spool; source: KeySource; sourceKeys?: readonly KeyObject[] }> {
  const place = requireOnePlace(where);
  if (place.databaseUrl === undefined) {
    const { dataDir } = place;
    prepareDataFolder(dataDir);
    return {
      store: await openSqliteStore(dataDir, append, committed),
      spool: openFileSpool(path.join(dataDir, 'spool')),
      source: givenKeySource(environment) ?? new OwnKeyFile(dataDir),
    };
  }
  const { databaseUrl } = place;
  // Before anything is made in the database.
  const source = requireKeySource(environment);
  const sourceKeys = await source.read();
  return {
    store: await openPostgresStore(databaseUrl, append, committed),
    spool: openPostgresSpool(databaseUrl),
    source,
    sourceKeys,
  };
}
