import { hostname } from 'node:os';
import { setTimeout } from 'node:timers/promises';
import { type PersonAnswerOf, type PersonClient, ProblemError } from '@rolecall/api';
import type { Context } from '../command.ts';
import { CliError } from '../errors.ts';
import { findAddress } from '../workspace/connection.ts';
import { Loopback } from './loopback.ts';
import { openBrowser } from './open-browser.ts';
import { openAnonymousClient, type PersonFlags } from './open-person-client.ts';
import { SavedSessions } from './saved-sessions.ts';

export interface SignInFlags extends PersonFlags {
  /** True if the browser is on another machine. */
  device?: true;
}

/** Milliseconds that the command waits before it asks again whether a code was confirmed. */
const pollMs = 2000;

type Login = PersonAnswerOf<'requestLogin'>;
type ToolSession = PersonAnswerOf<'redeemLogin'>;

/** A session that was just opened, and saved. */
export interface NewSession {
  readonly url: string;
  readonly person: NonNullable<ToolSession['person']>;
  readonly expiresAt: string;
}

/**
 * Opens a session of the person, who confirms it in a browser, and saves it.
 *
 * @param abandon aborts every request
 * @throws CliError ERR_SIGNED_OUT if no one confirms it in time
 */
export async function signIn(context: Context, flags: SignInFlags, abandon: AbortSignal): Promise<NewSession> {
  const { env } = context.io;
  const { url } = findAddress(flags, env, undefined);
  await using client = openAnonymousClient(flags, context, abandon);
  const begin = flags.device === true ? byCode : byBrowser;
  const { token, expiresAt, person } = await begin(context, client, abandon);
  if (token === null || expiresAt === null || person === null) throw expired();
  new SavedSessions(env).save(url, { token, expiresAt, person: person.username });
  return { url, person, expiresAt };
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
