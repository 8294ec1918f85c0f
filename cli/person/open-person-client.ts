import { createPersonClient, isPlaintextRemote, type PersonClient } from '@rolecall/api';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { findCaFile } from '../workspace/authorities.ts';
import { findAddress, silenceOf, type WorkspaceFlags } from '../workspace/connection.ts';
import { SavedSessions } from './saved-sessions.ts';

export type PersonFlags = Pick<WorkspaceFlags, 'url' | 'caFile' | 'timeout'>;

/**
 * Opens a client for the person who has run `rolecall login`.
 *
 * @param abandon aborts every request
 * @throws CliError ERR_SIGNED_OUT, and where the address is missing or malformed
 */
export function openPersonClient(flags: PersonFlags, context: Context, abandon: AbortSignal): PersonClient {
  const { url } = findAddress(flags, context.io.env, undefined);
  const session = new SavedSessions(context.io.env).find(url);
  if (session === undefined || Date.parse(session.expiresAt) <= Date.now()) {
    const state = session === undefined ? 'you are not signed in' : 'your session has ended';
    throw new CliError('ERR_SIGNED_OUT', `${state} at ${url}: run rolecall login --url ${url}`);
  }
  return connect(flags, context, { url, abandon, token: session.token });
}

/** Opens a client without a session, to sign in with. */
export function openAnonymousClient(flags: PersonFlags, context: Context, abandon: AbortSignal): PersonClient {
  return connect(flags, context, { url: findAddress(flags, context.io.env, undefined).url, abandon });
}

function connect(
  flags: PersonFlags,
  { io, output }: Context,
  { url, abandon, token }: { url: string; abandon: AbortSignal; token?: string },
): PersonClient {
  if (isPlaintextRemote(url)) {
    output.warn(
      'plaintext_url',
      `${url} is plain HTTP to another machine: your session is sent unencrypted. Use https.`,
    );
  }
  const caFile = findCaFile(flags, io.env, undefined);
  const timeouts = flags.timeout === undefined ? undefined : silenceOf(flags.timeout);
  return createPersonClient({ url, token, caFile, timeouts, signal: abandon });
}
