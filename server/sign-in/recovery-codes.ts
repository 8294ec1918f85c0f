import { randomBytes } from 'node:crypto';
import { hashToken } from './secret-token.ts';
import { toBase32 } from './totp.ts';

/** How many codes a person gets. */
const count = 10;

/** 80 random bits, so that their hash cannot be turned back. */
const bytes = 10;

/** @returns as in ABCD-EFGH-JKLM-NOPQ */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => toBase32(randomBytes(bytes)).replace(/(.{4})(?=.)/g, '$1-'));
}

/** The hash of a code, however it is typed. */
export function hashRecoveryCode(code: string): string {
  return hashToken(code.toUpperCase().replace(/[^A-Z2-7]/g, '')).toString('base64');
}
