import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { type PersonAnswerOf, type PersonClient, ProblemError } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError, InterruptedError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { openAnonymousClient, openPersonClient, type PersonFlags } from '../../person/open-person-client.ts';
import { SavedSessions } from '../../person/saved-sessions.ts';
import { watchInterrupts } from '../../process/interrupts.ts';
import { findAddress } from '../../workspace/connection.ts';
import { Loopback } from './loopback.ts';
import { openBrowser } from './open-browser.ts';

export interface LoginOptions extends CommonOptions, PersonFlags {
  device?: true;
}

/** How long the command waits between two questions whether a code was confirmed, in milliseconds. */
const pollMs = 2000;

type Login = PersonAnswerOf<'requestLogin'>;
type ToolSession = PersonAnswerOf<'redeemLogin'>;

/** `rolecall login`. */
export async function login(context: Context, options: LoginOptions): Promise<ExitCode> {
  const { io, output } = context;
  const { url } = findAddress(options, io.env, undefined);
  using interrupts = watchInterrupts(context);
  const { abandon } = interrupts;
  const client = openAnonymousClient(options, context, abandon);
  try {
    const session =
      options.device === true ? await byCode(context, client, abandon) : await byBrowser(context, client, abandon);
    const { token, expiresAt, person } = session;
    if (token === null || expiresAt === null || person === null) throw expired();
    new SavedSessions(io.env).save(url, { token, expiresAt, person: person.username });
    output.say(`You are signed in as ${visible(person.username)} at ${url}, until ${expiresAt} at the latest.`);
    output.document({ url, person, expiresAt });
    return exitCodes.ok;
  } catch (error) {
    if (abandon.aborted) throw new InterruptedError();
    throw error;
  } finally {
    await client.close();
  }
}

/** `rolecall logout`. */
export async function logout(context: Context, options: LoginOptions): Promise<ExitCode> {
  const { io, output } = context;
  const { url } = findAddress(options, io.env, undefined);
  using interrupts = watchInterrupts(context);
  const client = openPersonClient(options, context, interrupts.abandon);
  try {
    await client.call('signOut', {});
  } catch (error) {
    // The session is over already: only the file still has it.
    if (!(error instanceof ProblemError) || error.problem !== 'signed_out') throw error;
  } finally {
    await client.close();
  }
  new SavedSessions(io.env).remove(url);
  output.say(`You are signed out of ${url}.`);
  output.document({ url });
  return exitCodes.ok;
}

/** The browser is on this machine: only what it brings to a port of this command opens the session. */
async function byBrowser({ io }: Context, client: PersonClient, abandon: AbortSignal): Promise<ToolSession> {
  await using loopback = await Loopback.open();
  const begun = await client.call('requestLogin', { body: { tool: toolName(), port: loopback.port } });
  io.stderr.write(`Confirm the code ${begun.code} in your browser: ${begun.url}\n`);
  openBrowser(begun.url);
  const until = AbortSignal.any([abandon, AbortSignal.timeout(timeLeft(begun))]);
  for (;;) {
    const confirmation = await loopback.next(until).catch(() => {
      throw expired();
    });
    const session = await redeem(client, { secret: begun.secret, confirmation });
    if (session !== undefined) return session;
  }
}

/** The browser may be anywhere: the person compares the code. */
async function byCode({ io }: Context, client: PersonClient, abandon: AbortSignal): Promise<ToolSession> {
  const begun = await client.call('requestLogin', { body: { tool: toolName() } });
  const { origin, pathname } = new URL(begun.url);
  io.stderr.write(`Open ${origin}${pathname} in any browser, and enter the code ${begun.code}.\n`);
  while (timeLeft(begun) > 0) {
    await setTimeout(pollMs, undefined, { signal: abandon });
    const session = await redeem(client, { secret: begun.secret });
    if (session?.state === 'done') return session;
  }
  throw expired();
}

/** @returns undefined where the service refuses what was brought: another page may have brought it */
async function redeem(
  client: PersonClient,
  body: { secret: string; confirmation?: string },
): Promise<ToolSession | undefined> {
  try {
    return await client.call('redeemLogin', { body });
  } catch (error) {
    if (error instanceof ProblemError && error.problem === 'sign_in_refused' && body.confirmation !== undefined) return;
    throw error;
  }
}

function toolName(): string {
  return `rolecall on ${hostname()}`.slice(0, 100);
}

function timeLeft({ expiresAt }: Login): number {
  return Math.max(0, Date.parse(expiresAt) - Date.now());
}

function expired(): CliError {
  return new CliError('ERR_SIGNED_OUT', 'no one confirmed the code in time: run rolecall login again');
}
