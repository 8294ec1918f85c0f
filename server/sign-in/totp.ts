import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';

/** Time-based one-time passwords (RFC 6238) as every authenticator app makes them: SHA-1, six digits, 30 seconds. */

const stepMs = 30_000;
const digits = 6;
const seedBytes = 20;
const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567';

/** @returns a secret in base32 */
export function newTotpSeed(): string {
  return toBase32(randomBytes(seedBytes));
}

/** The text of the QR code that authenticator apps read. */
export function totpUri(seed: string, username: string): string {
  const label = encodeURIComponent(`Rolecall:${username}`);
  return `otpauth://totp/${label}?secret=${seed}&issuer=Rolecall&algorithm=SHA1&digits=${digits}&period=30`;
}

/**
 * Finds the step of a code, among the current one and its neighbours: clocks differ, and codes take time to type.
 *
 * @param after the last step that was used; no code up to it counts again
 */
export function findTotpStep(
  seed: string,
  code: string,
  { now, after }: { now: number; after: number },
): number | undefined {
  const current = Math.floor(now / stepMs);
  const steps = [current - 1, current, current + 1].filter((step) => isEqual(codeOf(seed, step), code));
  return steps.find((step) => step > after);
}

/** The code of a step. */
export function codeOf(seed: string, step: number): string {
  const message = Buffer.alloc(8);
  message.writeBigUInt64BE(BigInt(step));
  const mac = createHmac('sha1', fromBase32(seed)).update(message).digest();
  const offset = mac.readUInt8(mac.length - 1) & 0xf;
  const number = mac.readUInt32BE(offset) & 0x7fffffff;
  return String(number % 10 ** digits).padStart(digits, '0');
}

function isEqual(right: string, given: string): boolean {
  return given.length === right.length && timingSafeEqual(Buffer.from(given), Buffer.from(right));
}

/** RFC 4648, without padding: whole groups only. */
export function toBase32(bytes: Uint8Array): string {
  const bits = [...bytes].map((byte) => byte.toString(2).padStart(8, '0')).join('');
  return (bits.match(/.{5}/g) ?? []).map((group) => alphabet.charAt(Number.parseInt(group, 2))).join('');
}

function fromBase32(text: string): Buffer {
  const bits = Array.from(text, (letter) => alphabet.indexOf(letter).toString(2).padStart(5, '0')).join('');
  return Buffer.from((bits.match(/.{8}/g) ?? []).map((byte) => Number.parseInt(byte, 2)));
}
