import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Hashes the secrets of API keys. Keyed, so that the store alone is not enough to try secrets against it. */
export interface KeyHash {
  hash(secret: string): Buffer;
  /** Compares in a time that does not depend on where the two differ. */
  matches(secret: string, hash: Uint8Array): boolean;
}

/** @param key the store's inner key for this, which stays the same when the store's key is changed */
export function createKeyHash(key: KeyObject): KeyHash {
  const hash = (secret: string) => createHmac('sha256', key).update(secret).digest();
  return {
    hash,
    matches: (secret, known) => {
      const given = hash(secret);
      return given.length === known.length && timingSafeEqual(given, known);
    },
  };
}
