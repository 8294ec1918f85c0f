import { createHmac, type KeyObject, timingSafeEqual } from 'node:crypto';

/** Hashes the secrets of API keys. Keyed, so that the store alone is not enough to try secrets against it. */
export interface KeyHash {
  hash(secret: string): Buffer;
  /** Compares in a time that does not depend on where the two differ. */
  matches(secret: string, hash: Uint8Array): boolean;
}

/** @param keys the store's inner keys, oldest first */
export function createKeyHash(keys: readonly KeyObject[]): KeyHash {
  const hash = (secret: string) => layeredHash(keys, secret);
  return {
    hash,
    matches: (secret, expected) => {
      const given = hash(secret);
      return given.length === expected.length && timingSafeEqual(given, expected);
    },
  };
}

/**
 * Hashes a text with each key in turn. When the store's key is changed, every hash gets one more layer, which needs only the
 * hash, since the text is not stored. Without the newest key, guesses at the text cannot be tried against the result.
 */
export function layeredHash(keys: readonly KeyObject[], text: string | Uint8Array): Buffer {
  return keys.reduce<Buffer>((value, key) => createHmac('sha256', key).update(value).digest(), Buffer.from(text));
}
