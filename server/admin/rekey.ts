import type { KeyObject } from 'node:crypto';
import { lockKeyFile } from '../data/data-folder.ts';
import { OwnKeyFile } from '../data/key-file.ts';
import { type Data, type DataLocation, withData } from '../data/open-data.ts';
import { type Resealed, resealStore } from '../data/reseal-store.ts';
import { fingerprint, makeStoreKey } from '../secrets/store-key.ts';

/** Result of `rolecall store rekey`. */
export interface Rekeyed {
  /** Absent where an earlier run, which was interrupted, had sealed everything with the new key already. */
  readonly resealed?: Resealed;
  /** Source of the key. */
  readonly source: string;
  /** True if the source still has the old key, which its operator has to take out. */
  readonly hasOldKey: boolean;
}

export class RekeyError extends Error {
  override name = 'RekeyError';
  readonly code = 'ERR_REKEY';
}

/**
 * Changes the key of a store, while services run on it. Where `store.key` has the key, a new one is made; any other source has
 * to hold both, the old one first. Killed at any moment, it is finished by the next run: there is no moment at which the
 * source lacks the key that the store has.
 *
 * @throws RekeyError where the source holds one key only; AuditTrailError, StoreLockedError; what `openData` throws
 */
export async function rekeyStore(where: DataLocation): Promise<Rekeyed> {
  return withData(where, async (data) => {
    const { source } = data.keys;
    if (source instanceof OwnKeyFile && where.dataDir !== undefined) return changeOwnKey(data, source, where.dataDir);
    const keys = await source.read();
    const [old, next] = keys;
    if (old === undefined || next === undefined) throw needsBoth(source.name);
    return { ...(await changeKey(data, next)), source: source.name, hasOldKey: true };
  });
}

async function changeOwnKey(data: Data, file: OwnKeyFile, dataDir: string): Promise<Rekeyed> {
  const unlock = lockKeyFile(dataDir);
  try {
    const [old, started] = await file.read();
    const next = started ?? makeStoreKey();
    // Before the store has the new key, so that the key of the store is never only in the memory of this process.
    if (started === undefined && old !== undefined) file.write([old, next]);
    const changed = await changeKey(data, next);
    file.write([next]);
    return { ...changed, source: file.name, hasOldKey: false };
  } finally {
    unlock();
  }
}

async function changeKey({ store, keys }: Data, next: KeyObject): Promise<Pick<Rekeyed, 'resealed'>> {
  await keys.follow();
  return store.write([], async (executor) => {
    if (keys.current.check === fingerprint(next)) return {};
    return { resealed: await resealStore(executor, keys.current, next) };
  });
}

function needsBoth(source: string): RekeyError {
  return new RekeyError(
    `${source} holds one key, and the key of a store that is in use can be changed only where every process finds both. Let it hold two, the old one and behind it a new one ("openssl rand -base64 32"), at every replica, and run this again`,
  );
}
