import { Refusal } from '../../refusal.ts';
import { networkOf } from '../connections.ts';
import type { Limits } from './limits.ts';

export interface TokenBucketsOptions {
  /** Tokens that come back each second. */
  readonly rate: number;
  /** The most tokens a caller can have, and the most it can owe. */
  readonly burst: number;
  /** Callers that are remembered because they lack tokens. Beyond that the first is forgotten and starts with all of them. */
  readonly most: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

/** Token buckets: each caller may act at a rate, and several times at once after a pause. */
export class TokenBuckets {
  readonly #options: TokenBucketsOptions;
  readonly #buckets = new Map<string, Bucket>();

  constructor(options: TokenBucketsOptions) {
    this.#options = options;
  }

  /** The seconds until there is a token; 0 where there is one. To ask is not to be remembered. */
  wait(key: string): number {
    const bucket = this.#buckets.get(key);
    const tokens = bucket === undefined ? this.#options.burst : this.#fill(bucket);
    return tokens >= 1 ? 0 : (1 - tokens) / this.#options.rate;
  }

  /** Takes a token, if need be in advance. */
  take(key: string): void {
    const { burst, most, now } = this.#options;
    let bucket = this.#buckets.get(key);
    if (bucket === undefined) {
      if (this.#buckets.size >= most) this.#makeRoom();
      this.#buckets.set(key, (bucket = { tokens: burst, at: now() }));
    }
    bucket.tokens = Math.max(-burst, this.#fill(bucket) - 1);
  }

  giveBack(key: string): void {
    const bucket = this.#buckets.get(key);
    if (bucket !== undefined) bucket.tokens = Math.min(this.#options.burst, this.#fill(bucket) + 1);
  }

  /** Adds what came back since. @returns its tokens */
  #fill(bucket: Bucket): number {
    const { rate, burst, now } = this.#options;
    const at = now();
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * rate);
    bucket.at = at;
    return bucket.tokens;
  }

  /** Forgets callers that have all their tokens. Otherwise many who come once would push out one who comes too often. */
  #makeRoom(): void {
    const [oldest = ''] = this.#buckets.keys();
    for (const [key, bucket] of this.#buckets) {
      if (this.#fill(bucket) >= this.#options.burst) this.#buckets.delete(key);
    }
    if (this.#buckets.size >= this.#options.most) this.#buckets.delete(oldest);
  }
}

/** Callers that are counted at a time. */
const mostCallers = 10_000;

/** Holds each caller to a number of requests a second. */
export class RateLimit {
  readonly #rate: number;
  readonly #who: string;
  readonly #refused: () => void;
  readonly #buckets: TokenBuckets;

  /** @param who names the caller in the error, as in "the API key" */
  constructor({ rateLimit, rateBurst }: Required<Limits>, who: string, refused: () => void) {
    this.#rate = rateLimit;
    this.#who = who;
    this.#refused = refused;
    const burst = rateBurst === 0 ? Math.max(10, rateLimit * 2) : rateBurst;
    this.#buckets = new TokenBuckets({ rate: rateLimit, burst, most: mostCallers, now: () => performance.now() });
  }

  /** @throws Refusal too_many_requests */
  admit(caller: string): void {
    if (this.#rate === 0) return;
    const wait = this.#buckets.wait(caller);
    if (wait > 0) {
      this.#refused();
      throw tooManyRequests(`${this.#who} may make ${this.#rate} requests a second`, wait);
    }
    this.#buckets.take(caller);
  }
}

/** @param seconds until the next request is taken */
export function tooManyRequests(detail: string, seconds: number): Refusal {
  // Retry-After has whole seconds (RFC 9110, 10.2.3).
  return new Refusal('too_many_requests', detail, {
    headers: { 'retry-after': String(Math.max(1, Math.ceil(seconds))) },
  });
}

/** The credentials that a caller presents. */
export interface Claim {
  /** Of the client. */
  readonly address: string;
  readonly keyId: string;
  /** The whole header, secret included. */
  readonly authorization: string;
}

export interface GuessLimitOptions {
  /** Wrong guesses that may be made in a row. */
  readonly most: { readonly address: number; readonly key: number };
  readonly now: () => number;
  readonly refused: () => void;
  /** Told the address of a claim that was refused without being checked. */
  readonly unchecked: (address: string) => void;
}

/** Guesses that come back each second: ten for an address, which may have many keys; one in two seconds for one key. */
const perSecond = { address: 10, key: 0.5 };
const mostRemembered = 10_000;
const mostProven = 1000;

/**
 * Slows down guessing the secret of an API key without locking out its owner. Credentials that were right before are always
 * checked; others are checked unless the same address has guessed at that key too often.
 */
export class GuessLimit {
  readonly #options: GuessLimitOptions;
  readonly #addresses: TokenBuckets;
  readonly #keys: TokenBuckets;
  readonly #proven = new Set<string>();

  constructor(options: GuessLimitOptions) {
    const { most, now } = options;
    this.#options = options;
    this.#addresses = new TokenBuckets({ rate: perSecond.address, burst: most.address, most: mostRemembered, now });
    this.#keys = new TokenBuckets({ rate: perSecond.key, burst: most.key, most: mostRemembered, now });
  }

  /**
   * Checks a claim, unless too many were wrong.
   *
   * @throws Refusal too_many_requests, which does not say whether the claim would have been right; or what `check` throws
   */
  async attempt<T>({ address, keyId, authorization }: Claim, check: () => Promise<T>): Promise<T> {
    const network = networkOf(address);
    const guessed = `${network} ${keyId}`;
    const wait = this.#proven.has(authorization) ? 0 : this.#keys.wait(guessed);
    if (wait > 0) {
      this.#options.unchecked(address);
      throw this.#refuse(wait);
    }
    // Taken before the check: otherwise parallel guesses would all be checked before the first is found wrong.
    this.#keys.take(guessed);
    try {
      const result = await check();
      this.#keys.giveBack(guessed);
      if (this.#proven.size >= mostProven) this.#proven.clear();
      this.#proven.add(authorization);
      return result;
    } catch (error) {
      if (!(error instanceof Refusal)) {
        this.#keys.giveBack(guessed);
        throw error;
      }
      this.#proven.delete(authorization);
      throw this.#wrong(network, error);
    }
  }

  /** The error for wrong credentials, until an address has been wrong too often with any keys. */
  #wrong(network: string, error: Refusal): Refusal {
    const wait = this.#addresses.wait(network);
    this.#addresses.take(network);
    return wait > 0 ? this.#refuse(wait) : error;
  }

  #refuse(wait: number): Refusal {
    this.#options.refused();
    return tooManyRequests('too many requests from this address had a wrong API key', wait);
  }
}
