import { randomFillSync } from 'node:crypto';

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
const length = 12;
/** The largest multiple of 62 in a byte: bytes from here on are skipped, or the first letters would come up more often. */
const fair = 248;

const pool = new Uint8Array(4096);
let used = pool.length;

/** A new identifier: 12 letters and digits, 71 bits of chance. */
export function newId(): string {
  let id = '';
  while (id.length < length) {
    if (used === pool.length) {
      randomFillSync(pool);
      used = 0;
    }
    const byte = pool[used++] ?? fair;
    if (byte < fair) id += alphabet.charAt(byte % alphabet.length);
  }
  return id;
}
