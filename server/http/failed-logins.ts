import { isIP } from 'node:net';
import type { EntryDraft } from '../audit/entry.ts';
import type { Clock } from '../clock.ts';
import { startTicker, type Ticker } from '../queries/ticker.ts';
import type { Store } from '../store/store.ts';
import { networkOf } from './connections.ts';

export type LoginFailure =
  | 'malformed header'
  | 'unknown key'
  | 'revoked key'
  | 'expired key'
  | 'altered key'
  | 'wrong secret'
  | 'too many attempts'
  | `refused token: ${string}`;

interface Attempts {
  readonly address: string;
  /** Undefined if the store has no such key: the field may hold a secret by mistake. */
  readonly keyId: string | undefined;
  readonly reason: LoginFailure;
  count: number;
  readonly firstAt: string;
  lastAt: string;
}

/** How long attempts are counted before they are written, in milliseconds. */
const windowMs = 60_000;

/** How many entries one window may make: for the addresses of one network, and in total. */
const mostOfNetwork = 10;
const mostInAll = 100;

/**
 * Writes failed log-ins into the audit trail. Anyone can cause any number of them, so those with the same address, key and
 * reason are counted and become one entry a minute, written in the background.
 */
export class FailedLogins {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #ticker: Ticker;
  readonly #onError: (error: unknown) => void;
  #open = new Map<string, Attempts>();
  readonly #ofNetwork = new Map<string, number>();

  constructor(store: Store, clock: Clock, onError: (error: unknown) => void) {
    this.#store = store;
    this.#clock = clock;
    this.#onError = onError;
    this.#ticker = startTicker(windowMs, () => this.write(), onError);
  }

  /** @param address as the proxy gives it, where proxies are trusted */
  note(address: string, reason: LoginFailure, keyId?: string): void {
    const at = this.#clock().toISOString();
    const from = isIP(address) === 0 ? 'unknown address' : address;
    const key = nameOf(from, reason, keyId);
    const attempts =
      this.#open.get(key) ?? this.#begin({ address: from, keyId, reason, count: 0, firstAt: at, lastAt: at });
    attempts.count += 1;
    attempts.lastAt = at;
  }

  /** Addresses are counted together when a network has too many of them, or there are too many networks. */
  #begin(attempts: Attempts): Attempts {
    const { address, reason } = attempts;
    const network = networkOf(address);
    const count = this.#ofNetwork.get(network) ?? 0;
    if (this.#open.size >= mostInAll) return this.#merge({ ...attempts, address: 'other addresses', keyId: undefined });
    if (count >= mostOfNetwork) return this.#merge({ ...attempts, address: `network ${network}`, keyId: undefined });
    this.#ofNetwork.set(network, count + 1);
    this.#open.set(nameOf(address, reason, attempts.keyId), attempts);
    return attempts;
  }

  #merge(attempts: Attempts): Attempts {
    const key = nameOf(attempts.address, attempts.reason, undefined);
    const found = this.#open.get(key) ?? attempts;
    this.#open.set(key, found);
    return found;
  }

  /** Writes the counts so far. If the store cannot be written, counting continues. */
  async write(): Promise<void> {
    const attempts = [...this.#open.values()];
    if (attempts.length === 0) return;
    const written = attempts.map((one) => entryOf(one));
    this.#open.clear();
    this.#ofNetwork.clear();
    try {
      await this.#store.write([], (_executor, record) => {
        for (const entry of written) record(entry);
      });
    } catch (error) {
      this.#restore(attempts);
      throw error;
    }
  }

  #restore(attempts: readonly Attempts[]): void {
    const since = [...this.#open.values()];
    this.#open = new Map(attempts.map((one) => [nameOf(one.address, one.reason, one.keyId), one]));
    for (const one of since) {
      const key = nameOf(one.address, one.reason, one.keyId);
      const found = this.#open.get(key) ?? this.#begin({ ...one, count: 0 });
      found.count += one.count;
      found.lastAt = one.lastAt;
    }
  }

  /** Writes the remaining counts. */
  async stop(): Promise<void> {
    await this.#ticker.stop();
    await this.write().catch(this.#onError);
  }
}

function nameOf(address: string, reason: LoginFailure, keyId: string | undefined): string {
  return `${address} ${reason} ${keyId ?? ''}`;
}

function entryOf({ address, keyId = 'unknown', reason, count, firstAt, lastAt }: Attempts): EntryDraft {
  const after = { reason, count, firstAt, lastAt };
  return {
    at: lastAt,
    actor: { type: 'anonymous', id: address },
    operation: 'authenticate',
    requestId: null,
    changes: [{ kind: 'api_key', id: keyId, action: 'log-in failed', after }],
  };
}
