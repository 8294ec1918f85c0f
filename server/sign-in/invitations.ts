import { newId } from '../ids.ts';
import { openGenuine, type Seal } from '../secrets/seal.ts';
import { deleteTokensOf, findToken, insertToken } from '../store/one-time-token.ts';
import { deleteInvitedSessions } from '../store/person-session.ts';
import type { Executor } from '../store/store.ts';
import { hashToken, newSecretToken } from './secret-token.ts';

const kind = 'invitation';
const tokenPrefix = 'rolecall_invitation_';
const lifetimeMs = 24 * 60 * 60_000;

/** An invitation whose token is at hand. Times are ISO 8601. */
export interface NewInvitation {
  readonly id: string;
  readonly token: string;
  readonly createdAt: string;
  readonly expiresAt: string;
}

/** Invites a person, within a write. Older invitations of the person end, and so do sessions that they opened. */
export async function makeInvitation(executor: Executor, seal: Seal, person: string): Promise<NewInvitation> {
  const now = (await executor.now()).getTime();
  const { token, hash } = newSecretToken(tokenPrefix);
  const id = newId();
  const createdAt = new Date(now).toISOString();
  const expiresAt = new Date(now + lifetimeMs).toISOString();
  await endInvitations(executor, person);
  const sealed = seal.close(contentOf(hash, person, expiresAt), rowName(id));
  await insertToken(executor, { id, kind, tokenHash: hash, person, sealed, lookup: null, createdAt, expiresAt });
  return { id, token, createdAt, expiresAt };
}

/** Uses up the invitations of a person, and ends the sessions that they opened. @returns whether there was one */
export async function endInvitations(executor: Executor, person: string): Promise<boolean> {
  await deleteInvitedSessions(executor, person);
  return (await deleteTokensOf(executor, person, kind)).length > 0;
}

/** The person whom a token invites, if it is valid now. It is not used up: that happens with the first factor. */
export async function findInvited(executor: Executor, seal: Seal, token: string): Promise<string | undefined> {
  if (!token.startsWith(tokenPrefix)) return undefined;
  const row = await findToken(executor, { hash: hashToken(token) });
  if (row === undefined || row.kind !== kind || row.person === null) return undefined;
  const { id, tokenHash, person, expiresAt, sealed } = row;
  if ((await executor.now()).getTime() >= Date.parse(expiresAt)) return undefined;
  // A row that was created or changed in the database is no invitation.
  return openGenuine(seal, sealed, rowName(id)) === contentOf(tokenHash, person, expiresAt) ? person : undefined;
}

const rowName = (id: string): string => `one_time_token ${id} ${kind}`;

function contentOf(hash: Uint8Array, person: string, expiresAt: string): string {
  return JSON.stringify([Buffer.from(hash).toString('base64'), person, expiresAt]);
}
