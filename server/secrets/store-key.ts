import { createHmac, createSecretKey, hkdfSync, type KeyObject, randomBytes } from 'node:crypto';
import { StoreKeyError } from '../store/errors.ts';

const keyBytes = 32;

/** Form of a key as text, for messages. */
export const keyForm = `${keyBytes} bytes in base64; "openssl rand -base64 ${keyBytes}" makes one`;

/**
 * Reads what a source of the store's key holds: one key, or two while the key is being changed, the old one first.
 *
 * @param source named in the error
 * @throws StoreKeyError, which never repeats the text
 */
export function parseKeys(text: string, source: string): KeyObject[] {
  const words = text.trim().split(/\s+/);
  const bytes = words.map((word) => Buffer.from(word, 'base64'));
  const wellFormed = words.every((word) => /^[A-Za-z0-9+/]+={0,2}$/.test(word));
  if (words.length > 2 || !wellFormed || bytes.some(({ length }) => length !== keyBytes)) {
    throw new StoreKeyError(
      `${source} must hold ${keyForm}. While the key is being changed, it holds two with a blank or a line break between them: the old one, then the new one`,
    );
  }
  const keys = bytes.map((key) => createSecretKey(key));
  return keys[1] !== undefined && keys[0]?.equals(keys[1]) === true ? [keys[1]] : keys;
}

/** The text that `parseKeys` reads. */
export function formatKeys(keys: readonly KeyObject[]): string {
  return keys.map((key) => `${key.export().toString('base64')}\n`).join('');
}

export function makeStoreKey(): KeyObject {
  return createSecretKey(randomBytes(keyBytes));
}

/** Derives a key for one purpose, so that no two purposes ever share one (RFC 5869). */
export function deriveKey(storeKey: KeyObject, purpose: string): KeyObject {
  return createSecretKey(Buffer.from(hkdfSync('sha256', storeKey, '', `rolecall ${purpose}`, keyBytes)));
}

/** Recognises a key without giving anything of it away. */
export function fingerprint(storeKey: KeyObject): string {
  return createHmac('sha256', deriveKey(storeKey, 'key of a sealed store')).update('rolecall').digest('hex');
}

/**
 * The same, in a store from before its rows were sealed. A store loses it when its rows are sealed, and it cannot be made
 * without the key: otherwise forged rows could be sealed by passing a store off as an old one.
 */
export function unsealedFingerprint(storeKey: KeyObject): string {
  return createHmac('sha256', deriveKey(storeKey, 'key check')).update('rolecall').digest('hex');
}

/**
 * The one of several keys that a store has.
 *
 * @param check what the store says of its key; undefined for a new store, which takes the newest key
 */
export function findStoreKey(keys: readonly KeyObject[], check: string | undefined): KeyObject | undefined {
  if (check === undefined) return keys.at(-1);
  return keys.find((key) => check === fingerprint(key) || check === unsealedFingerprint(key));
}
