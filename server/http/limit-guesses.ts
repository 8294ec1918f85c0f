import { isIPv6 } from 'node:net';
import { Refusal } from '../refusal.ts';
import { createTokenBuckets } from './token-buckets.ts';
import { tooManyRequests } from './too-many-requests.ts';

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

/** What counts as one client: an address of IPv4, or the /64 of IPv6 that one customer has. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith('::ffff:')) return address;
  const [head = '', tail = ''] = address.split('::');
  const before = head.split(':');
  const after = tail === '' ? [] : tail.split(':');
  const zeros = address.includes('::') ? Array.from({ length: 8 - before.length - after.length }, () => '0') : [];
  return [...before, ...zeros, ...after].slice(0, 4).join(':');
}
