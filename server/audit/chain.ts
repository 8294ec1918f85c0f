import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** The hash before the first entry. */
export const firstHash = '0'.repeat(64);

/**
 * The hash of an entry: SHA-256 over the previous hash (64 hexadecimal digits), a line feed and the content. Anyone with the
 * entries can compute it. A changed, missing, added or moved entry does not fit.
 */
export function chainHash(previous: string, content: string): string {
  return hash('sha256', `${previous}\n${content}`, 'hex');
}

/** Binds an entry, or the end of the chain, to the key of the store. */
export function sealOf(key: KeyObject, link: { seq: number; hash: string }): string {
  return createHmac('sha256', key).update(`${link.seq}\n${link.hash}`).digest('hex');
}

export function sameText(a: string, b: string): boolean {
  const [first, other] = [Buffer.from(a), Buffer.from(b)];
  return first.length === other.length && timingSafeEqual(first, other);
}
