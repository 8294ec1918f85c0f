import { createHash, randomBytes } from 'node:crypto';

/** A secret of 256 random bits that is shown once. The store has only its hash, which needs no key: it cannot be guessed. */
export interface SecretToken {
  readonly token: string;
  readonly hash: Buffer;
}

/** @param prefix says what the token is for, to people and to scanners of leaked secrets */
export function newSecretToken(prefix: string): SecretToken {
  const token = `${prefix}${randomBytes(32).toString('base64url')}`;
  return { token, hash: hashToken(token) };
}

export function hashToken(token: string): Buffer {
  return createHash('sha256').update(token).digest();
}
