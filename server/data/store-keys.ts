import type { KeyObject } from 'node:crypto';
import { type AuditTrail, readBounds, trailKeys } from '../audit/trail.ts';
import type { KeyHash } from '../secrets/key-hash.ts';
import type { KeySource } from '../secrets/key-source.ts';
import type { KeyedDigest } from '../secrets/keyed-digest.ts';
import type { Seal } from '../secrets/seal.ts';
import { findStoreKey, fingerprint } from '../secrets/store-key.ts';
import { StoreKeyChangedError, StoreKeyError, StoreUnavailableError } from '../store/errors.ts';
import type { Executor, MaybePromise, Store } from '../store/store.ts';
import { OwnKeyFile } from './key-file.ts';
import { type KeySet, prepareStore, readKeyCheck, readKeySet, wrongKey } from './unlock-store.ts';

/** Attempts at something that fails because the store's key was changed meanwhile. */
const mostAttempts = 3;

/** A source that does not have the store's key is not asked again for so long, in milliseconds: it may be a command. */
const pause = 1000;

/** Milliseconds for which work that needs the new key waits for the source: a command may take longer, or hang. */
const longestWait = 2000;

/**
 * The keys that this process works with. They follow the store: where another process has changed its key
 * (`rolecall store rekey`), the source is read again, and what failed meanwhile is done again with the new one.
 */
export class StoreKeys {
  readonly source: KeySource;
  readonly #store: Store;
  readonly #trail: AuditTrail;
  /** Keys that the source held when it was last read. */
  #sourceKeys: readonly KeyObject[];
  #current: KeySet;
  /** The checks of keys that this process has left: a changed `key_check` must not make it take one of them again. */
  readonly #left = new Set<string>();
  #following: Promise<void> | undefined;
  #failed: { readonly check: string | undefined; readonly error: unknown; readonly until: number } | undefined;

  private constructor(
    parts: { store: Store; source: KeySource; trail: AuditTrail },
    sourceKeys: readonly KeyObject[],
    current: KeySet,
  ) {
    this.#store = parts.store;
    this.source = parts.source;
    this.#trail = parts.trail;
    this.#sourceKeys = sourceKeys;
    this.#current = current;
  }

  /**
   * Holds the source's keys against a store, and takes the one that fits. A new store gets its keys here.
   *
   * @param sourceKeys what the source holds, where it was read already
   * @throws StoreKeyError where the store has another key, or what it keeps under it was changed
   */
  static async open(
    parts: { store: Store; source: KeySource; trail: AuditTrail },
    sourceKeys?: readonly KeyObject[],
  ): Promise<StoreKeys> {
    const { store, source } = parts;
    for (let attempt = 1; ; attempt += 1) {
      // Before the source is read: a key that was changed in between is in it.
      const check = await store.read(readKeyCheck);
      try {
        if (check === undefined && source instanceof OwnKeyFile) source.createIfMissing();
        const keys = attempt === 1 && sourceKeys !== undefined ? sourceKeys : await source.read();
        return new StoreKeys(parts, keys, await unlock(parts, keys, check));
      } catch (error) {
        if (!(error instanceof StoreKeyError) || attempt === mostAttempts) throw error;
        if ((await store.read(readKeyCheck)) === check) throw error;
      }
    }
  }

  /** Keys that seal everything now. Not to be kept: it may be another set a moment later. */
  get current(): KeySet {
    return this.#current;
  }

  readonly seal: Seal = {
    close: (secret, row) => this.#current.seal.close(secret, row),
    open: (sealed, row) => this.#current.seal.open(sealed, row),
    mac: (row, fields) => this.#current.seal.mac(row, fields),
    matches: (mac, row, fields) => this.#current.seal.matches(mac, row, fields),
  };

  readonly keyHash: KeyHash = {
    hash: (secret) => this.#current.keyHash.hash(secret),
    matches: (secret, hash) => this.#current.keyHash.matches(secret, hash),
  };

  readonly digest: KeyedDigest = {
    text: (text) => this.#current.digest.text(text),
    password: (password, dataSource) => this.#current.digest.password(password, dataSource),
    request: (text) => this.#current.digest.request(text),
    tag: (body) => this.#current.digest.tag(body),
  };

  /**
   * Takes the key that the store has now, where it was changed.
   *
   * @throws StoreKeyChangedError where the source does not have that key, or takes long to give it
   */
  async follow(): Promise<void> {
    const check = await this.#store.read(readKeyCheck);
    if (check === this.#current.check) return;
    this.#following ??= this.#change().finally(() => {
      this.#following = undefined;
    });
    const late = Promise.withResolvers<never>();
    const timer = setTimeout(() => {
      const why = `${this.source.name} has not given the new one yet`;
      late.reject(new StoreKeyChangedError(`the key of the store was changed: ${why}`));
    }, longestWait);
    try {
      await Promise.race([this.#following, late.promise]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** Does what reads a lot under one key, and does it again where the key was changed in the middle. */
  async underOneKey<T>(work: (keys: KeySet) => Promise<T>): Promise<T> {
    for (;;) {
      const used = this.#current;
      const [done] = await Promise.allSettled([work(used)]);
      await this.follow();
      if (this.#current !== used) continue;
      if (done.status === 'rejected') throw done.reason;
      return done.value;
    }
  }

  /**
   * The store, in which nothing is written with a key that it does not have any more, and in which a read that met a secret
   * under another key is done again.
   */
  follower(store: Store): Store {
    return {
      ...store,
      read: (work) => this.#read(store, work),
      snapshot: async () => {
        const snapshot = await store.snapshot();
        // Done again in the same snapshot, which may still have the key before: then the client asks for another one.
        return { ...snapshot, read: (work) => this.#read(snapshot, work) };
      },
      write: async (changes, work) => {
        for (let attempt = 1; ; attempt += 1) {
          try {
            return await store.write(changes, (executor, record) =>
              this.#underCurrentKey(executor, () => work(executor, record)),
            );
          } catch (error) {
            if (!(error instanceof StoreKeyChangedError) || attempt === mostAttempts) throw error;
          }
          await this.follow();
        }
      },
    };
  }

  #read<T>(store: Pick<Store, 'read'>, work: (executor: Executor) => MaybePromise<T>): MaybePromise<T> {
    const again = async (error: unknown): Promise<T> => {
      if (!(error instanceof StoreKeyError)) throw error;
      const { check } = this.#current;
      await this.follow();
      if (check === this.#current.check) throw error;
      return store.read(work);
    };
    try {
      const value = store.read(work);
      return value instanceof Promise ? value.catch(again) : value;
    } catch (error) {
      return again(error);
    }
  }

  /**
   * Does the work of a write, unless the store has another key. The transaction has the lock of all writes, so that the key
   * is the same until it commits; and as long as the store's key is the same, this process's is.
   */
  async #underCurrentKey<T>(executor: Executor, work: () => MaybePromise<T>): Promise<T> {
    const { check } = this.#current;
    // Side by side: PostgreSQL takes the check without a round trip of its own.
    const [storedCheck, worked] = await Promise.allSettled([readKeyCheck(executor), (async () => work())()]);
    if (storedCheck.status === 'rejected') throw storedCheck.reason;
    if (storedCheck.value !== check) throw new StoreKeyChangedError('the key of the store was changed');
    if (worked.status === 'rejected') throw worked.reason;
    return worked.value;
  }

  async #change(): Promise<void> {
    const check = await this.#store.read(readKeyCheck);
    if (check === this.#current.check) return;
    const failed = this.#failed;
    if (failed !== undefined && failed.check === check && performance.now() < failed.until) throw failed.error;
    try {
      const next = await this.#find(check);
      this.#left.add(this.#current.check);
      this.#trail.useKeys(next.trail);
      this.#current = next;
      this.#failed = undefined;
    } catch (cause) {
      if (cause instanceof StoreUnavailableError) throw cause;
      const why = cause instanceof Error ? cause.message : 'unknown error';
      const error = new StoreKeyChangedError(`the key of the store was changed: ${why}`, { cause });
      this.#failed = { check, error, until: performance.now() + pause };
      throw error;
    }
  }

  async #find(check: string | undefined): Promise<KeySet> {
    if (check === undefined || this.#left.has(check)) {
      throw new StoreKeyError(
        'the store was set back to an older key. If you restored a backup, restart the service; if not, find out who changed the store',
      );
    }
    const fits = (key: KeyObject) => fingerprint(key) === check;
    if (!this.#sourceKeys.some(fits)) this.#sourceKeys = await this.source.read();
    const key = this.#sourceKeys.find(fits);
    if (key === undefined) throw new StoreKeyError(`${this.source.name} does not have the new one yet`);
    return readKeySet(this.#store, key);
  }
}

async function unlock(
  { store, trail }: { store: Store; trail: AuditTrail },
  keys: readonly KeyObject[],
  check: string | undefined,
): Promise<KeySet> {
  const storeKey = findStoreKey(keys, check);
  if (storeKey === undefined) throw wrongKey();
  trail.useKeys(trailKeys(storeKey));
  if (check !== fingerprint(storeKey)) await prepareStore(store, storeKey);
  const set = await readKeySet(store, storeKey);
  trail.begun(await store.read((executor) => readBounds(executor, set.trail)));
  return set;
}
