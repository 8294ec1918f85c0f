import { createHmac, hash, type KeyObject, timingSafeEqual } from 'node:crypto';

/** What the first entry follows. */
export const firstHash = '0'.repeat(64);

/**
 * The hash of an entry: SHA-256 over the hash before it (64 hexadecimal digits), a line feed and its content. Whoever has
 * the entries can compute it; a changed, missing, added or moved one does not fit.
 */
export function chainHash(previous: string, content: string): string {
  return hash('sha256', `${previous}\n${content}`, 'hex');
}

/** What binds an entry, or the end of the chain, to the key of the store. */
export function sealOf(key: KeyObject, link: { seq: number; hash: string }): string {
  return createHmac('sha256', key).update(`${link.seq}\n${link.hash}`).digest('hex');
}

export function sameText(a: string, b: string): boolean {
  const [one, other] = [Buffer.from(a), Buffer.from(b)];
  return one.length === other.length && timingSafeEqual(one, other);
}
