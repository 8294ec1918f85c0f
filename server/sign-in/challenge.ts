import { createHash, randomBytes } from 'node:crypto';
import { newId } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import type { Seal } from '../secrets/seal.ts';
import { insertToken } from '../store/one-time-token.ts';
import type { Executor } from '../store/store.ts';
import type { StoreClock } from '../store-clock.ts';
import { hashToken } from './secret-token.ts';

/** The name of the cookie that binds a challenge to the browser that asked for it. */
export const challengeCookie = 'passkey';

/** Seconds for which a challenge is valid. */
export const challengeSeconds = 300;

/** Parts that make challenges. Anyone may ask for one, so it costs no row until it is answered. */
export interface ChallengeParts {
  readonly seal: Seal;
  readonly clock: StoreClock;
}

/** @param purpose the challenge is valid for nothing else: `sign-in`, or a session */
export function newChallenge({ seal, clock }: ChallengeParts, purpose: string): { token: string; challenge: Buffer } {
  const expiresAt = String(Math.floor(clock.now()) + challengeSeconds * 1000);
  const id = randomBytes(32).toString('base64url');
  const mac = seal.mac(`challenge ${id}`, { purpose, expiresAt });
  const token = `${expiresAt}.${id}.${Buffer.from(mac).toString('base64url')}`;
  return { token, challenge: challengeOf(token) };
}

/** @returns the challenge of a token in base64url; undefined if it has expired or has another purpose */
export function readChallenge(
  { seal, clock }: ChallengeParts,
  purpose: string,
  token: string | undefined,
): string | undefined {
  const [expiresAt = '', id = '', mac = ''] = token?.split('.') ?? [];
  if (token === undefined || !(clock.now() < Number(expiresAt))) return undefined;
  if (!seal.matches(Buffer.from(mac, 'base64url'), `challenge ${id}`, { purpose, expiresAt })) return undefined;
  return challengeOf(token).toString('base64url');
}

/**
 * Uses a challenge up, within a write.
 *
 * @throws UniqueError for `one_time_token.token_hash`, if it was used before
 */
export async function spendChallenge(executor: Executor, seal: Seal, token: string): Promise<void> {
  const now = (await executor.now()).getTime();
  const id = newId();
  await insertToken(executor, {
    id,
    kind: 'spent challenge',
    tokenHash: hashToken(token),
    person: null,
    sealed: seal.close('', `one_time_token ${id}`),
    lookup: null,
    createdAt: new Date(now).toISOString(),
    // Later than the end of the challenge itself.
    expiresAt: new Date(now + 2 * challengeSeconds * 1000).toISOString(),
  });
}

/** The column by which a challenge that was used before is known. */
export const spentColumn = 'one_time_token.token_hash';

export function challengeOver(): Refusal {
  return new Refusal(
    'sign_in_refused',
    'the challenge is over, was used before, or belongs to another browser: try again',
  );
}

function challengeOf(token: string): Buffer {
  return createHash('sha256').update(`challenge ${token}`).digest();
}
