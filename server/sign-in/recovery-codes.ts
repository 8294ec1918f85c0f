import { randomBytes } from 'node:crypto';
import { hashToken } from './secret-token.ts';
import { toBase32 } from './totp.ts';

/** Number of codes that a person gets. */
const count = 10;

/** 120 random bits: from 112 on, a plain hash cannot be turned back (NIST SP 800-63B-4, 3.1.2.2). Older codes have 80. */
const bytes = 15;

/** @returns as in ABCD-EFGH-JKLM-NOPQ-RSTU-VWXY */
export function newRecoveryCodes(): string[] {
  return Array.from({ length: count }, () => toBase32(randomBytes(bytes)).replace(/(.{4})(?=.)/g, '$1-'));
}

/** The hash of a code, however it is typed. */
export function hashRecoveryCode(code: string): string {
  return hashToken(code.toUpperCase().replace(/[^A-Z2-7]/g, '')).toString('base64');
}
