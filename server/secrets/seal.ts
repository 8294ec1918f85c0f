import {
  createCipheriv,
  createDecipheriv,
  createHmac,
  type KeyObject,
  randomBytes,
  timingSafeEqual,
} from 'node:crypto';
import { StoreKeyError } from '../store/errors.ts';
import { deriveKey } from './store-key.ts';

/** The fields of a row that a MAC covers. One that is null counts as absent, so that a new column changes no old MAC. */
export type SealedFields = Readonly<Record<string, string | number | Uint8Array | null>>;

/**
 * Protects what the store holds with the store's key, bound to the row that it belongs to: `close` what has to stay secret,
 * `mac` what may be read but decides something, such as the rights of an API key.
 */
export interface Seal {
  /** @param row identifier of the row; the secret opens for no other */
  close(secret: string, row: string): Uint8Array;
  /** @throws StoreKeyError where the bytes were changed, moved to another row, or sealed with another key */
  open(sealed: Uint8Array, row: string): string;
  /** @param row its table and identifier: the MAC fits no other */
  mac(row: string, fields: SealedFields): Uint8Array;
  /** True if the MAC was made for these fields of this row; false for a row without one. */
  matches(mac: Uint8Array | null, row: string, fields: SealedFields): boolean;
}

const algorithm = 'aes-256-gcm';
const format = 1;
const ivBytes = 12;
const tagBytes = 16;
const headBytes = 1 + ivBytes + tagBytes;

/** AES-256-GCM, with the row as associated data. Sealed: a format byte, 12 bytes IV, 16 bytes tag, the ciphertext. */
export function createSeal(storeKey: KeyObject): Seal {
  const key = deriveKey(storeKey, 'data source uri');
  const macKey = deriveKey(storeKey, 'row');
  const mac: Seal['mac'] = (row, fields) => createHmac('sha256', macKey).update(rowText(row, fields)).digest();
  return {
    mac,
    matches: (expected, row, fields) => {
      if (expected === null) return false;
      const right = mac(row, fields);
      return expected.length === right.length && timingSafeEqual(expected, right);
    },
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

/** Opens what may come from anyone. @returns undefined where the seal did not close it for this row */
export function openGenuine(seal: Pick<Seal, 'open'>, sealed: Uint8Array, row: string): string | undefined {
  try {
    return seal.open(sealed, row);
  } catch (error) {
    if (error instanceof StoreKeyError) return undefined;
    throw error;
  }
}

function rowText(row: string, fields: SealedFields): string {
  const present = Object.entries(fields).filter(([, value]) => value !== null);
  present.sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([
    row,
    ...present.map(([name, value]) => [
      name,
      value instanceof Uint8Array ? { bytes: Buffer.from(value).toString('hex') } : value,
    ]),
  ]);
}
