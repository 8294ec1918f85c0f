import { randomInt } from 'node:crypto';
import type { FactorKind } from '@rolecall/api';
import { newId } from '../ids.ts';
import { Refusal } from '../refusal.ts';
import { openGenuine, type Seal } from '../secrets/seal.ts';
import {
  countTokens,
  findToken,
  findTokenByLookup,
  insertToken,
  type StoredToken,
  takeToken,
  updateTokenSeal,
} from '../store/one-time-token.ts';
import type { Executor } from '../store/store.ts';
import { hashToken, newSecretToken } from './secret-token.ts';

const kind = 'login';
const tokenPrefix = 'rolecall_login_';
const lifetimeMs = 10 * 60_000;
const letters = 'BCDFGHJKLMNPQRSTVWXZ';

/** The most tools that may wait at once: anyone can make one wait. */
const mostWaiting = 10_000;

/** Tool log-ins that a network may begin at once, and each second: within their ten minutes, a small part of all. */
export const toolLoginLimit = { burst: 100, rate: 1 / 6, most: 10_000 };

/** The person's confirmation. */
export interface Confirmation {
  /** The session in which it was given. */
  readonly session: string;
  readonly person: string;
  readonly factors: readonly FactorKind[];
  readonly providerSession: string | null;
  /** SHA-256, in base64, of the secret that the browser brings to the tool; null for a tool without a port. */
  readonly hash: string | null;
}

/** A tool that waits for a session. */
export interface ToolLogin {
  readonly tool: string;
  readonly address: string;
  readonly port: number | null;
  readonly confirmed: Confirmation | null;
}

/** A login as it was read: what is sealed opens only for its own row, so the database cannot confirm one. */
export interface FoundLogin extends ToolLogin {
  readonly row: StoredToken;
}

/** Makes a tool wait, within a write. @throws Refusal unavailable if too many wait */
export async function beginLogin(
  executor: Executor,
  seal: Seal,
  waiting: Omit<ToolLogin, 'confirmed'>,
): Promise<{ secret: string; code: string; expiresAt: string }> {
  if ((await countTokens(executor, kind)) >= mostWaiting) {
    throw new Refusal('unavailable', 'too many tools wait to be signed in', { headers: { 'retry-after': '60' } });
  }
  const now = (await executor.now()).getTime();
  const { token, hash } = newSecretToken(tokenPrefix);
  const id = newId();
  const code = newCode();
  const expiresAt = new Date(now + lifetimeMs).toISOString();
  await insertToken(executor, {
    id,
    kind,
    tokenHash: hash,
    person: null,
    sealed: seal.close(JSON.stringify({ ...waiting, confirmed: null }), rowName(id)),
    lookup: `${kind} ${code}`,
    createdAt: new Date(now).toISOString(),
    expiresAt,
  });
  return { secret: token, code, expiresAt };
}

/** The tool that waits under a code, and is not confirmed yet. */
export async function findWaiting(executor: Executor, seal: Seal, code: string): Promise<FoundLogin | undefined> {
  const login = await open(executor, seal, await findTokenByLookup(executor, `${kind} ${code}`));
  return login?.confirmed === null ? login : undefined;
}

/** The login of a secret, confirmed or not. */
export async function findLogin(executor: Executor, seal: Seal, secret: string): Promise<FoundLogin | undefined> {
  return open(executor, seal, await findToken(executor, { hash: hashToken(secret) }));
}

/** Records the confirmation. @returns the secret that the browser brings to the tool; undefined for a tool without a port */
export async function confirmLogin(
  executor: Executor,
  seal: Seal,
  { row, tool, address, port }: FoundLogin,
  person: Omit<Confirmation, 'hash'>,
): Promise<string | undefined> {
  const { token, hash } = newSecretToken(tokenPrefix);
  const confirmed = { ...person, hash: port === null ? null : hash.toString('base64') };
  const sealed = seal.close(JSON.stringify({ tool, address, port, confirmed }), rowName(row.id));
  await updateTokenSeal(executor, { id: row.id, sealed });
  return port === null ? undefined : token;
}

/** Uses a confirmed login up. @returns whether it was there: of two that come at once, one finds it */
export async function takeLogin(executor: Executor, secret: string): Promise<boolean> {
  return (await takeToken(executor, { hash: hashToken(secret) })) !== undefined;
}

/** True if the confirmation that a tool brings is the one that the browser was given. */
export function isConfirmation({ hash }: Confirmation, given: string | undefined): boolean {
  return hash === null || (given !== undefined && hashToken(given).toString('base64') === hash);
}

async function open(executor: Executor, seal: Seal, row: StoredToken | undefined): Promise<FoundLogin | undefined> {
  if (row?.kind !== kind || (await executor.now()).getTime() >= Date.parse(row.expiresAt)) return undefined;
  const opened = openGenuine(seal, row.sealed, rowName(row.id));
  return opened === undefined ? undefined : { ...(JSON.parse(opened) as ToolLogin), row };
}

const rowName = (id: string): string => `one_time_token ${id} ${kind}`;

/** Some 34 bits, which count for ten minutes and only for people who are signed in. */
function newCode(): string {
  const text = Array.from({ length: 8 }, () => letters.charAt(randomInt(letters.length))).join('');
  return `${text.slice(0, 4)}-${text.slice(4)}`;
}
