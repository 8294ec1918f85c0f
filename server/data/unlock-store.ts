import { createSecretKey, type KeyObject } from 'node:crypto';
import type { Change, EntryDraft } from '../audit/entry.ts';
import { type TrailKeys, takeOverTrail, trailKeys } from '../audit/trail.ts';
import { createKeyHash, type KeyHash } from '../secrets/key-hash.ts';
import { createKeyedDigest, type KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import { deriveKey, fingerprint, makeStoreKey, unsealedFingerprint } from '../secrets/store-key.ts';
import { sealKeys } from '../store/api-key.ts';
import { StoreKeyError } from '../store/errors.ts';
import type { Executor, RecordEntry, Store } from '../store/store.ts';
import { keyCheckName, readStoreMeta, writeStoreMeta } from '../store/store-meta.ts';

/**
 * A key that the store itself keeps, sealed with the store's key: the first made with the store, and one more whenever the
 * store's key is changed. Hashes and checkpoints that cannot be made anew hang on the older ones, too.
 */
export interface InnerKey {
  readonly key: KeyObject;
  /** The last entry of the audit trail when the next inner key was made; absent for the newest. */
  readonly until?: number;
}

/** All that is derived from one key of the store. */
export interface KeySet {
  /** The store's check of its key. */
  readonly check: string;
  readonly inner: readonly InnerKey[];
  readonly seal: Seal;
  readonly keyHash: KeyHash;
  readonly digest: KeyedDigest;
  /** Seal the audit trail. */
  readonly trail: TrailKeys;
  /** For checkpoints, oldest first; each for entries up to `until`. */
  readonly checkpoints: readonly InnerKey[];
}

const innerKeysName = 'inner_keys';

/** The store's check of its key; undefined in a new store. */
export function readKeyCheck(executor: Executor): Promise<string | undefined> {
  return readStoreMeta(executor, keyCheckName);
}

export function deriveKeySet(storeKey: KeyObject, inner: readonly InnerKey[]): KeySet {
  const trail = trailKeys(storeKey);
  const derived = (purpose: string) => inner.map((entry) => ({ ...entry, key: deriveKey(entry.key, purpose) }));
  return {
    check: fingerprint(storeKey),
    inner,
    seal: trail.seal,
    keyHash: createKeyHash(inner.map(({ key }) => key)),
    digest: createKeyedDigest(
      storeKey,
      derived('idempotent request').map(({ key }) => key),
    ),
    trail,
    checkpoints: derived('audit checkpoint'),
  };
}

/**
 * Reads what a store keeps under its key.
 *
 * @throws StoreKeyError where that was changed, or sealed with another key
 */
export async function readKeySet(store: Pick<Store, 'read'>, storeKey: KeyObject): Promise<KeySet> {
  const sealed = await store.read((executor) => readStoreMeta(executor, innerKeysName));
  if (sealed === undefined) throw new StoreKeyError(`the store has lost its ${innerKeysName}: restore a backup`);
  const text = trailKeys(storeKey).seal.open(Buffer.from(sealed, 'base64'), innerKeysName);
  return deriveKeySet(storeKey, parseInner(text));
}

/** Gives a new store its keys; gives one from before rows were sealed its seals, once. */
export async function prepareStore(store: Store, storeKey: KeyObject): Promise<void> {
  const trail = trailKeys(storeKey);
  await store.write([], async (executor, record) => {
    const check = await readKeyCheck(executor);
    // Several processes may come here at once: the first one has done it.
    if (check === fingerprint(storeKey)) return;
    if (check === undefined) await createKeys(executor, record, trail.seal);
    else if (check === unsealedFingerprint(storeKey)) await sealRows(executor, record, storeKey, trail);
    else throw wrongKey();
    await writeStoreMeta(executor, { name: keyCheckName, value: fingerprint(storeKey) });
  });
}

async function createKeys(executor: Executor, record: RecordEntry, seal: Seal): Promise<void> {
  if (await hasData(executor)) {
    throw new StoreKeyError(`the store has data, and has lost its ${keyCheckName}: restore a backup`);
  }
  await writeInnerKeys(executor, seal, [{ key: makeStoreKey() }]);
  record(storeEntry('store create', []));
}

async function sealRows(executor: Executor, record: RecordEntry, storeKey: KeyObject, trail: TrailKeys): Promise<void> {
  await writeInnerKeys(executor, trail.seal, [{ key: deriveKey(storeKey, 'api key') }]);
  await sealKeys(executor, trail.seal, { mayBeSealed: () => true });
  const whole = await takeOverTrail(executor, trail);
  record(storeEntry('store seal', [{ kind: 'audit_trail', id: 'audit_trail', action: 'changed', after: { whole } }]));
}

/** Every store has an entry from its beginning on: one without any was emptied. */
function storeEntry(operation: string, changes: readonly Change[]): EntryDraft {
  const actor = { type: 'service', id: 'store' } as const;
  return { at: new Date().toISOString(), actor, operation, requestId: null, changes };
}

/** True if the store has anything that no store has at its beginning. */
async function hasData({ db }: Executor): Promise<boolean> {
  for (const table of ['api_key', 'audit_entry', 'data_source', 'person', 'role'] as const) {
    const row = await db.selectFrom(table).select(db.fn.countAll().as('rows')).executeTakeFirst();
    if (Number(row?.rows ?? 0) > 0) return true;
  }
  return false;
}

/** Sealed JSON; before the store's key was changed for the first time, only the one key. */
export async function writeInnerKeys(executor: Executor, seal: Seal, inner: readonly InnerKey[]): Promise<void> {
  const shown = inner.map(({ key, until }) => ({ key: key.export().toString('base64'), until }));
  const sealed = seal.close(JSON.stringify(shown), innerKeysName);
  await writeStoreMeta(executor, { name: innerKeysName, value: Buffer.from(sealed).toString('base64') });
}

function parseInner(text: string): InnerKey[] {
  if (!text.startsWith('[')) return [{ key: createSecretKey(text, 'base64') }];
  // Sealed: nothing but the service has written it.
  const shown = JSON.parse(text) as { key: string; until?: number }[];
  return shown.map(({ key, until }) => ({
    key: createSecretKey(key, 'base64'),
    ...(until === undefined ? {} : { until }),
  }));
}

export function wrongKey(): StoreKeyError {
  return new StoreKeyError(
    'the key is not the one that the store was made with, or that it was changed to. It comes from ROLECALL_STORE_KEY, else from the file that ROLECALL_STORE_KEY_FILE names, else from the command of ROLECALL_STORE_KEY_COMMAND, else from store.key in the data folder: correct the first of these that is there, or unset it',
  );
}
