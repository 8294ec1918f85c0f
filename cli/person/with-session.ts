import { type PersonClient, ProblemError } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { orInterrupted, watchInterrupts } from '../process/interrupts.ts';
import { hasBrowser } from './open-browser.ts';
import { openPersonClient } from './open-person-client.ts';
import { type SignInFlags, signIn } from './sign-in.ts';

export interface SessionFlags extends SignInFlags {
  /** False for --no-login: a missing session is an error. */
  login?: boolean;
}

/**
 * Works with the person's session. Without one that counts, and at a terminal, the person signs in first.
 *
 * @throws CliError ERR_SIGNED_OUT
 */
export async function withSession<T>(
  context: Context,
  flags: SessionFlags,
  work: (client: PersonClient) => Promise<T>,
): Promise<T> {
  using interrupts = watchInterrupts(context);
  const { abandon } = interrupts;
  const once = async (): Promise<T> => {
    await using client = openPersonClient(flags, context, abandon);
    return await work(client);
  };
  return await orInterrupted(
    once().catch(async (error: unknown) => {
      if (!isSignedOut(error) || !canSignIn(context, flags)) throw error;
      const device = flags.device === true || !hasBrowser(context.io.env);
      const { person } = await signIn(context, { ...flags, ...(device ? { device } : {}) }, abandon);
      context.io.stderr.write(`You are signed in as ${visible(person.username)}.\n`);
      return once();
    }),
    abandon,
  );
}

function isSignedOut(error: unknown): boolean {
  if (error instanceof ProblemError) return error.problem === 'signed_out';
  return error instanceof CliError && error.code === 'ERR_SIGNED_OUT';
}

/** Only someone who sees the code can confirm it. */
function canSignIn({ io, output }: Context, { login = true }: SessionFlags): boolean {
  return login && io.stderr.isTTY === true && output.format === 'text';
}
