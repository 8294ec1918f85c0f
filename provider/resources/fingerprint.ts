import { randomBytes, scryptSync, timingSafeEqual } from 'node:crypto';
import type { Private } from '../plugin/framework/resource.ts';

/** Cheap enough for a refresh, and dear enough that nobody tries many passwords on what is in a state. */
const cost = { N: 16_384, r: 8, p: 1 };
const length = 32;

/** What stands for a password in Terraform's private state: enough to see that another one was set, and nothing else. */
export function fingerprint(password: string): Private {
  const salt = randomBytes(16);
  return { salt: salt.toString('base64'), fingerprint: scryptSync(password, salt, length, cost).toString('base64') };
}

/** Whether a password is the remembered one; where none is remembered there is nothing to compare. */
export function hasFingerprint({ salt, fingerprint: remembered }: Private, password: string | undefined): boolean {
  if (salt === undefined || remembered === undefined) return true;
  if (password === undefined) return false;
  const found = scryptSync(password, Buffer.from(salt, 'base64'), length, cost);
  const expected = Buffer.from(remembered, 'base64');
  return expected.length === found.length && timingSafeEqual(found, expected);
}
