import { ProblemError } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { openPersonClient } from '../../person/open-person-client.ts';
import { SavedSessions } from '../../person/saved-sessions.ts';
import { type SignInFlags, signIn } from '../../person/sign-in.ts';
import { orInterrupted, watchInterrupts } from '../../process/interrupts.ts';
import { findAddress } from '../../workspace/connection.ts';

export interface LoginOptions extends CommonOptions, SignInFlags {}

/** `rolecall login`. */
export async function login(context: Context, options: LoginOptions): Promise<ExitCode> {
  const { output } = context;
  using interrupts = watchInterrupts(context);
  const { abandon } = interrupts;
  const { url, person, expiresAt } = await orInterrupted(signIn(context, options, abandon), abandon);
  output.say(`You are signed in as ${visible(person.username)} at ${url}, until ${expiresAt} at the latest.`);
  output.document({ url, person, expiresAt });
  return exitCodes.ok;
}

/** `rolecall logout`. */
export async function logout(context: Context, options: LoginOptions): Promise<ExitCode> {
  const { io, output } = context;
  const { url } = findAddress(options, io.env, undefined);
  using interrupts = watchInterrupts(context);
  const saved = new SavedSessions(io.env);
  try {
    await using client = openPersonClient(options, context, interrupts.abandon);
    await client.call('signOut', {});
  } catch (error) {
    // The session is over already: only the file still has it.
    if (!isSignedOut(error) || saved.find(url) === undefined) throw error;
  }
  saved.remove(url);
  output.say(`You are signed out of ${url}.`);
  output.document({ url });
  return exitCodes.ok;
}

const isSignedOut = (error: unknown): boolean =>
  error instanceof ProblemError
    ? error.problem === 'signed_out'
    : error instanceof CliError && error.code === 'ERR_SIGNED_OUT';
