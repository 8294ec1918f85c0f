import { createHash, createHmac, hash, type KeyObject } from 'node:crypto';
import { layeredHash } from './key-hash.ts';
import { deriveKey } from './store-key.ts';

/**
 * Recognises texts that may hold secrets, without keeping them. Keyed, so that a short secret in a known text cannot be
 * found by trying; the same on every replica and after every start.
 */
export interface KeyedDigest {
  /** For the audit trail: 43 letters of base64url. */
  text(text: string): string;
  /** Of a request that came with an Idempotency-Key. */
  request(text: string): Uint8Array;
  /** Changes with the password of a data source, and tells nothing else of it: 22 letters of base64url. */
  password(password: string, dataSource: string): string;
  /** For an ETag: 22 letters of base64url. Quicker than the others: it is made for every answer. */
  tag(body: string | Uint8Array): string;
}

const tagLetters = 22; // 128 bits

/** @param requestKeys for requests, oldest first: what was kept before the store's key was changed still fits */
export function createKeyedDigest(storeKey: KeyObject, requestKeys: readonly KeyObject[]): KeyedDigest {
  const passwordKey = deriveKey(storeKey, 'password fingerprint');
  const textKey = deriveKey(storeKey, 'audit text');
  const tagSalt = deriveKey(storeKey, 'entity tag').export().toString('base64url');
  return {
    text: (text) => createHmac('sha256', textKey).update(text).digest('base64url'),
    // With the identifier: whether two data sources have one password shows nowhere.
    password: (password, dataSource) =>
      createHmac('sha256', passwordKey)
        .update(JSON.stringify([dataSource, password]))
        .digest('base64url')
        .slice(0, tagLetters),
    request: (text) => layeredHash(requestKeys, text),
    tag: (body) => {
      // For short texts, the answers about one object, this way of hashing takes half the time of the other.
      const digest =
        typeof body === 'string'
          ? hash('sha256', tagSalt + body, 'base64url')
          : createHash('sha256').update(tagSalt).update(body).digest('base64url');
      // Only half of the hash is given away: with the whole of it, it could be continued without the salt.
      return digest.slice(0, tagLetters);
    },
  };
}
