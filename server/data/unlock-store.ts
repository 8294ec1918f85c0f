import { createSecretKey, type KeyObject, randomBytes } from 'node:crypto';
import type { Change, EntryDraft } from '../audit/entry.ts';
import { type TrailKeys, takeOverTrail } from '../audit/trail.ts';
import type { Seal } from '../secrets/seal.ts';
import { deriveKey, fingerprint, isCheckOf, unsealedFingerprint } from '../secrets/store-key.ts';
import { sealKeys } from '../store/api-key.ts';
import { StoreKeyError } from '../store/errors.ts';
import type { Executor, RecordEntry, Store } from '../store/store.ts';
import { readStoreMeta, writeStoreMeta } from '../store/store-meta.ts';

/** Keys that the store itself keeps, sealed with the store's key: they stay the same when that is changed. */
export interface InnerKeys {
  /** For the hashes of API keys' secrets, which nobody could make anew. */
  readonly apiKeys: KeyObject;
}

const keyCheck = 'key_check';
const innerKeys = 'inner_keys';

/** Recognises the key of a store; undefined for a store that is new. */
export function readKeyCheck(executor: Executor): Promise<string | undefined> {
  return readStoreMeta(executor, keyCheck);
}

/**
 * Holds a key against a store, and gives what the store keeps under it. A new store gets both here; one from before rows
 * were sealed gets its seals here, once.
 *
 * @throws StoreKeyError where the store has another key, or what it keeps under it was changed
 */
export async function unlockStore(store: Store, storeKey: KeyObject, keys: TrailKeys): Promise<InnerKeys> {
  const { seal } = keys;
  const check = await store.read(readKeyCheck);
  if (check !== undefined && !isCheckOf(check, storeKey)) throw wrongKey();
  if (check !== fingerprint(storeKey)) {
    await store.write([], (executor, record) => settle(executor, record, storeKey, keys));
  }
  const sealed = await store.read((executor) => readStoreMeta(executor, innerKeys));
  if (sealed === undefined) throw new StoreKeyError(`the store has lost its ${innerKeys}: restore a backup`);
  return { apiKeys: createSecretKey(Buffer.from(seal.open(Buffer.from(sealed, 'base64'), innerKeys), 'base64')) };
}

/** Several processes may come here at once: the first one settles it. */
async function settle(executor: Executor, record: RecordEntry, storeKey: KeyObject, keys: TrailKeys): Promise<void> {
  const { seal } = keys;
  const check = await readKeyCheck(executor);
  if (check === fingerprint(storeKey)) return;
  if (check === undefined) {
    if (await hasData(executor))
      throw new StoreKeyError('the store has data, and has lost its key_check: restore a backup');
    await writeInner(executor, seal, randomBytes(32));
    record(entry('store create', []));
  } else if (check === unsealedFingerprint(storeKey)) {
    await writeInner(executor, seal, deriveKey(storeKey, 'api key').export());
    await sealKeys(executor, seal, () => true);
    const whole = await takeOverTrail(executor, keys);
    record(entry('store seal', [{ kind: 'audit_trail', id: 'audit_trail', action: 'changed', after: { whole } }]));
  } else {
    throw wrongKey();
  }
  await writeStoreMeta(executor, keyCheck, fingerprint(storeKey));
}

/** Every store has an entry from its beginning on: one without any was emptied. */
function entry(operation: string, changes: readonly Change[]): EntryDraft {
  const actor = { type: 'service', id: 'store' } as const;
  return { at: new Date().toISOString(), actor, operation, requestId: null, changes };
}

/** Whether there is anything that no store has at its beginning. */
async function hasData({ db }: Executor): Promise<boolean> {
  for (const table of ['api_key', 'audit_entry', 'data_source', 'person', 'role'] as const) {
    const row = await db.selectFrom(table).select(db.fn.countAll().as('rows')).executeTakeFirst();
    if (Number(row?.rows ?? 0) > 0) return true;
  }
  return false;
}

async function writeInner(executor: Executor, seal: Seal, apiKeys: Buffer): Promise<void> {
  const sealed = seal.close(apiKeys.toString('base64'), innerKeys);
  await writeStoreMeta(executor, innerKeys, Buffer.from(sealed).toString('base64'));
}

function wrongKey(): StoreKeyError {
  return new StoreKeyError(
    'the key is not the one that the store was made with. It comes from ROLECALL_STORE_KEY, else from the file that ROLECALL_STORE_KEY_FILE names, else from store.key in the data folder: correct the first of these that is there, or unset it',
  );
}
