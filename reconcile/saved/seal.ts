import { createHash, createHmac, hkdfSync, timingSafeEqual } from 'node:crypto';
import { canonicalJson } from '@rolecall/api';

/**
 * Proof that a saved plan is the one that was written. The digest finds what was changed by accident or by hand by an editor who does not
 * compute a new one. The signature, where there is a key, also finds what was changed on purpose.
 */
export interface Seal {
  /** `sha256:` and 64 hexadecimal digits, over the canonical JSON of all the rest. */
  readonly digest: string;
  /** `hmac-sha256:` and 64 hexadecimal digits, over the same. */
  readonly signature?: string;
}

/** @param key the team's secret, of any length; a key for this purpose alone is derived from it (RFC 5869) */
export function sealOf(content: unknown, key: string | undefined): Seal {
  const text = canonicalJson(content, 'ordered');
  const digest = `sha256:${createHash('sha256').update(text).digest('hex')}`;
  return key === undefined ? { digest } : { digest, signature: sign(text, key) };
}

/** True if the content is what was sealed. Without a key the signature is not looked at. */
export function isSealed(content: unknown, seal: Seal, key: string | undefined): boolean {
  const expected = sealOf(content, key);
  if (seal.digest !== expected.digest) return false;
  return expected.signature === undefined || equal(seal.signature ?? '', expected.signature);
}

function sign(text: string, key: string): string {
  const derived = Buffer.from(hkdfSync('sha256', key, '', 'rolecall saved plan v1', 32));
  return `hmac-sha256:${createHmac('sha256', derived).update(text).digest('hex')}`;
}

function equal(text: string, other: string): boolean {
  const [a, b] = [Buffer.from(text), Buffer.from(other)];
  return a.length === b.length && timingSafeEqual(a, b);
}
