import type { Authenticate, Identity } from './authenticate.ts';
import { createTokenBuckets } from './token-buckets.ts';
import { tooManyRequests } from './too-many-requests.ts';

export interface KeyLimit {
  /** Requests a second; 0 for any number. */
  readonly rate: number;
  /** How many may come at once; 0 for those of two seconds. */
  readonly burst: number;
  readonly now: () => number;
  readonly refused: () => void;
}

/** More keys than this at once share the tokens of nobody: the one that came first begins anew. */
const mostKeys = 10_000;

/** Authenticates, and refuses a key that makes too many requests. @throws Refusal too_many_requests */
export function limitKeys(authenticate: Authenticate, { rate, burst, now, refused }: KeyLimit): Authenticate {
  if (rate === 0) return authenticate;
  const most = burst === 0 ? Math.max(10, rate * 2) : burst;
  const buckets = createTokenBuckets({ rate, burst: most, most: mostKeys, now });

  function admit(identity: Identity): Identity {
    const wait = buckets.wait(identity.keyId);
    if (wait === 0) {
      buckets.take(identity.keyId);
      return identity;
    }
    refused();
    throw tooManyRequests(`the API key may make ${rate} requests a second`, wait);
  }

  return (caller) => {
    const identity = authenticate(caller);
    return identity instanceof Promise ? identity.then(admit) : admit(identity);
  };
}
