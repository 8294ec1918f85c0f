import { Refusal } from '../refusal.ts';
import { networkOf } from './connections.ts';

/** Token buckets: each caller may act at a rate, and several times at once after a pause. */
export interface TokenBuckets {
  /** The seconds until there is a token; 0 where there is one. */
  wait(key: string): number;
  /** Takes a token, if need be in advance. */
  take(key: string): void;
  giveBack(key: string): void;
}

export interface TokenBucketsOptions {
  /** How many tokens come back each second. */
  readonly rate: number;
  /** The most tokens a caller can have, and the most it can owe. */
  readonly burst: number;
  /** How many callers are remembered; beyond that the first is forgotten and starts with all its tokens. */
  readonly most: number;
  /** Milliseconds of a clock that is never set back. */
  readonly now: () => number;
}

interface Bucket {
  tokens: number;
  at: number;
}

export function createTokenBuckets({ rate, burst, most, now }: TokenBucketsOptions): TokenBuckets {
  const buckets = new Map<string, Bucket>();

  function find(key: string): Bucket {
    const at = now();
    let bucket = buckets.get(key);
    if (bucket === undefined) {
      if (buckets.size >= most) forgetOldest();
      bucket = { tokens: burst, at };
      buckets.set(key, bucket);
    }
    bucket.tokens = Math.min(burst, bucket.tokens + ((at - bucket.at) / 1000) * rate);
    bucket.at = at;
    return bucket;
  }

  function forgetOldest(): void {
    const [oldest] = buckets.keys();
    if (oldest !== undefined) buckets.delete(oldest);
  }

  return {
    wait: (key) => {
      const { tokens } = find(key);
      return tokens >= 1 ? 0 : (1 - tokens) / rate;
    },
    take: (key) => {
      const bucket = find(key);
      bucket.tokens = Math.max(-burst, bucket.tokens - 1);
    },
    giveBack: (key) => {
      const bucket = find(key);
      bucket.tokens = Math.min(burst, bucket.tokens + 1);
    },
  };
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

/**
 * Slows down guessing the secret of an API key without locking out its owner. Credentials that were right before are always
 * checked; others are checked unless the same address has guessed at that key too often.
 */
export interface GuessLimit {
  /**
   * Checks a claim, unless too many were wrong.
   *
   * @throws Refusal too_many_requests, which does not say whether the claim would have been right; or what `check` throws
   */
  attempt: <T>(claim: Claim, check: () => Promise<T>) => Promise<T>;
}

export interface GuessLimitOptions {
  /** How many wrong guesses in a row. */
  readonly most: { readonly address: number; readonly key: number };
  readonly now: () => number;
  readonly refused: () => void;
  /** Told the address of a claim that was refused without being checked. */
  readonly unchecked: (address: string) => void;
}

/** How many guesses come back each second: ten for an address, which may have many keys; one in two seconds for one key. */
const perSecond = { address: 10, key: 0.5 };
const mostRemembered = 10_000;
const mostProven = 1000;

export function createGuessLimit({ most, now, refused, unchecked }: GuessLimitOptions): GuessLimit {
  const addresses = createTokenBuckets({ rate: perSecond.address, burst: most.address, most: mostRemembered, now });
  const keys = createTokenBuckets({ rate: perSecond.key, burst: most.key, most: mostRemembered, now });
  const proven = new Set<string>();

  function refuse(wait: number): Refusal {
    refused();
    return tooManyRequests('too many requests from this address had a wrong API key', wait);
  }

  /** The error for wrong credentials, until an address has been wrong too often with any keys. */
  function wrong(network: string, error: Refusal): Refusal {
    const wait = addresses.wait(network);
    addresses.take(network);
    return wait > 0 ? refuse(wait) : error;
  }

  return {
    attempt: async ({ address, keyId, authorization }, check) => {
      const network = networkOf(address);
      const guessed = `${network} ${keyId}`;
      const wait = proven.has(authorization) ? 0 : keys.wait(guessed);
      if (wait > 0) {
        unchecked(address);
        throw refuse(wait);
      }
      // Taken before the check: otherwise parallel guesses would all be checked before the first is found wrong.
      keys.take(guessed);
      try {
        const found = await check();
        keys.giveBack(guessed);
        if (proven.size >= mostProven) proven.clear();
        proven.add(authorization);
        return found;
      } catch (error) {
        if (!(error instanceof Refusal)) {
          keys.giveBack(guessed);
          throw error;
        }
        proven.delete(authorization);
        throw wrong(network, error);
      }
    },
  };
}
