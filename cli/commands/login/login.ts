import { ProblemError } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
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
  await using client = openPersonClient(options, context, interrupts.abandon);
  try {
    await client.call('signOut', {});
  } catch (error) {
    // The session is over already: only the file still has it.
    if (!(error instanceof ProblemError) || error.problem !== 'signed_out') throw error;
  }
  new SavedSessions(io.env).remove(url);
  output.say(`You are signed out of ${url}.`);
  output.document({ url });
  return exitCodes.ok;
}
