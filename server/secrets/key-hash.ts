import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';
import { deriveKey } from './store-key.ts';

/** Hashes the secrets of API keys. Keyed, so that the store alone is not enough to try secrets against it. */
export interface KeyHash {
  hash(secret: string): Buffer;
  /** Compares in a time that does not depend on where the two differ. */
  matches(secret: string, hash: Uint8Array): boolean;
}

export function createKeyHash(storeKey: KeyObject): KeyHash {
  const key = deriveKey(storeKey, 'api key');
  const hash = (secret: string) => createHmac('sha256', key).update(secret).digest();
  return {
    hash,
    matches: (secret, known) => {
      const given = hash(secret);
      return given.length === known.length && timingSafeEqual(given, known);
    },
  };
}
