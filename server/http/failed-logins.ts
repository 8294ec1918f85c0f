import { isIP } from 'node:net';
import type { FactorKind } from '@rolecall/api';
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

/** Why a person was not let in. */
export interface PersonFailure {
  readonly factor: FactorKind | 'invitation' | 'gateway_password';
  readonly reason: 'wrong' | 'locked person' | 'too many attempts';
}

interface Attempts {
  readonly address: string;
  /** Undefined if the store has no such key or person: the field may hold a secret by mistake. */
  readonly id: string | undefined;
  /** Of a person; undefined for an API key. */
  readonly factor: PersonFailure['factor'] | undefined;
  readonly reason: LoginFailure | PersonFailure['reason'];
  count: number;
  readonly firstAt: string;
  lastAt: string;
}

/** Time in which attempts are counted before they are written, in milliseconds. */
const windowMs = 60_000;

/** Entries that one window may make: for the addresses of one network, and in total. */
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
    this.#count({ address, id: keyId, factor: undefined, reason });
  }

  /** @param person the id; undefined for a name that no person has */
  notePerson(address: string, { factor, reason }: PersonFailure, person: string | undefined): void {
    this.#count({ address, id: person, factor, reason });
  }

  #count(attempt: Pick<Attempts, 'address' | 'id' | 'factor' | 'reason'>): void {
    const at = this.#clock().toISOString();
    const from = { ...attempt, address: isIP(attempt.address) === 0 ? 'unknown address' : attempt.address };
    const attempts = this.#open.get(nameOf(from)) ?? this.#begin({ ...from, count: 0, firstAt: at, lastAt: at });
    attempts.count += 1;
    attempts.lastAt = at;
  }

  /** Addresses are counted together when a network has too many of them, or there are too many networks. */
  #begin(attempts: Attempts): Attempts {
    const { address } = attempts;
    const network = networkOf(address);
    const count = this.#ofNetwork.get(network) ?? 0;
    if (this.#open.size >= mostInAll) return this.#merge({ ...attempts, address: 'other addresses', id: undefined });
    if (count >= mostOfNetwork) return this.#merge({ ...attempts, address: `network ${network}`, id: undefined });
    this.#ofNetwork.set(network, count + 1);
    this.#open.set(nameOf(attempts), attempts);
    return attempts;
  }

  #merge(attempts: Attempts): Attempts {
    const key = nameOf(attempts);
    const counter = this.#open.get(key) ?? attempts;
    this.#open.set(key, counter);
    return counter;
  }

  /** Writes the counts so far. If the store cannot be written, counting continues. */
  async write(): Promise<void> {
    const attempts = [...this.#open.values()];
    if (attempts.length === 0) return;
    const written = attempts.map((counter) => entryOf(counter));
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
    this.#open = new Map(attempts.map((counter) => [nameOf(counter), counter]));
    for (const later of since) {
      const key = nameOf(later);
      const counter = this.#open.get(key) ?? this.#begin({ ...later, count: 0 });
      counter.count += later.count;
      counter.lastAt = later.lastAt;
    }
  }

  /** Writes the remaining counts. */
  async stop(): Promise<void> {
    await this.#ticker.stop();
    await this.write().catch(this.#onError);
  }
}

function nameOf({ address, reason, factor, id }: Pick<Attempts, 'address' | 'reason' | 'factor' | 'id'>): string {
  return `${address} ${reason} ${factor ?? ''} ${id ?? ''}`;
}

function entryOf({ address, id = 'unknown', factor, reason, count, firstAt, lastAt }: Attempts): EntryDraft {
  const after = { ...(factor === undefined ? {} : { factor }), reason, count, firstAt, lastAt };
  const kind = factor === undefined ? 'api_key' : 'person';
  return {
    at: lastAt,
    actor: { type: 'anonymous', id: address },
    operation: factor === undefined ? 'authenticate' : 'signIn',
    requestId: null,
    changes: [{ kind, id, action: 'log-in failed', after }],
  };
}
