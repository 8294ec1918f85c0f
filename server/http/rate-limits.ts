import { Refusal } from '../refusal.ts';
import { networkOf } from './connections.ts';

/** Lets each of many callers do something at a rate, and after a pause several times at once (token bucket). */
export interface TokenBuckets {
  /** The seconds until there is a token; 0 where there is one. */
  wait(key: string): number;
  /** Takes a token, also one that is not there yet. */
  take(key: string): void;
  giveBack(key: string): void;
}

export interface TokenBucketsOptions {
  /** Tokens a second that come back. */
  readonly rate: number;
  /** The most that are there, and the most that are owed. */
  readonly burst: number;
  /** How many callers are remembered; the one that came first is forgotten, and has all its tokens again. */
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

/** What somebody says to be. */
export interface Claim {
  /** Of the client. */
  readonly address: string;
  readonly keyId: string;
  /** The whole header, secret included. */
  readonly authorization: string;
}

/**
 * Makes guessing the secret of an API key slow, without keeping anybody out who has the right one: one that was right
 * before is always checked, and any other unless somebody at the same address guesses at that very key.
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
  /** Wrong ones in a row. */
  readonly most: { readonly address: number; readonly key: number };
  readonly now: () => number;
  readonly refused: () => void;
  /** Told the address of a claim that was refused without being checked. */
  readonly unchecked: (address: string) => void;
}

/** How many come back: ten a second for an address, whose keys are many; one in two seconds for one key. */
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

  /** What was wrong is told so, until an address has been wrong too often whatever the key. */
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
      // Paid before, or guesses side by side would all be checked before the first of them is found wrong.
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
