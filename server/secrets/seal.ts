import { createCipheriv, createDecipheriv, type KeyObject, randomBytes } from 'node:crypto';
import { StoreKeyError } from '../store/errors.ts';
import { deriveKey } from './store-key.ts';

/** Encrypts what the store must give back, bound to the row that it belongs to. */
export interface Seal {
  /** @param row identifier of the row; the secret opens for no other */
  close(secret: string, row: string): Uint8Array;
  /** @throws StoreKeyError where the bytes were changed, moved to another row, or sealed with another key */
  open(sealed: Uint8Array, row: string): string;
}

const algorithm = 'aes-256-gcm';
const format = 1;
const ivBytes = 12;
const tagBytes = 16;
const headBytes = 1 + ivBytes + tagBytes;

/** AES-256-GCM, with the row as associated data. Sealed: a format byte, 12 bytes IV, 16 bytes tag, the ciphertext. */
export function createSeal(storeKey: KeyObject): Seal {
  const key = deriveKey(storeKey, 'data source uri');
  return {
    close: (secret, row) => {
      const iv = randomBytes(ivBytes);
      const cipher = createCipheriv(algorithm, key, iv).setAAD(Buffer.from(row));
      const text = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([Uint8Array.of(format), iv, cipher.getAuthTag(), text]);
    },
    open: (sealed, row) => {
      try {
        if (sealed[0] !== format) throw new Error('unknown format');
        const decipher = createDecipheriv(algorithm, key, sealed.subarray(1, 1 + ivBytes), { authTagLength: tagBytes })
          .setAAD(Buffer.from(row))
          .setAuthTag(sealed.subarray(1 + ivBytes, headBytes));
        return decipher.update(sealed.subarray(headBytes), undefined, 'utf8') + decipher.final('utf8');
      } catch (error) {
        throw new StoreKeyError(`the secret of ${row} cannot be opened: it was changed, or sealed with another key`, {
          cause: error,
        });
      }
    },
  };
}
