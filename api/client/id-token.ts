import { constants } from 'node:fs';
import { open } from 'node:fs/promises';
import { longestToken } from '../resources/token.ts';
import { IdTokenError } from './errors.ts';

/** Location of the token of a pipeline's platform. */
export type IdTokenSource =
  | { readonly from: 'value'; readonly name: string; readonly token: string }
  | { readonly from: 'file'; readonly name: string; readonly file: string }
  | { readonly from: 'github'; readonly url: string; readonly authority: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds it as the platforms give it: a variable, a file, or the runner of GitHub Actions; undefined where there is none. */
export function findIdToken(env: Environment): IdTokenSource | undefined {
  return givenIdToken(env) ?? findRunner(env);
}

/** Finds a token that was given to Rolecall, and not by a platform that gives every program one. */
export function givenIdToken(env: Environment): IdTokenSource | undefined {
  const token = env['ROLECALL_ID_TOKEN'];
  if (isGiven(token)) return { from: 'value', name: 'ROLECALL_ID_TOKEN', token };
  const file = env['ROLECALL_ID_TOKEN_FILE'];
  return isGiven(file) ? { from: 'file', name: 'ROLECALL_ID_TOKEN_FILE', file } : undefined;
}

/** The runner of GitHub Actions, for a job that may ask it for tokens. */
function findRunner(env: Environment): IdTokenSource | undefined {
  const [url, authority] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']];
  return isGiven(url) && isGiven(authority) ? { from: 'github', url, authority } : undefined;
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

/**
 * Reads the token, or has a new one signed. A token for another service is refused: the one that receives it could use it there.
 *
 * @param audience of the service that the token is sent to
 * @throws IdTokenError
 */
export async function readIdToken(source: IdTokenSource, audience: string): Promise<string> {
  const token = (await rawToken(source, audience)).trim();
  if (!/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) || token.length > longestToken)
    throw new IdTokenError(`${nameOf(source)} is not a JSON Web Token, which has three parts separated by dots`);
  const { audiences } = claimsOf(token);
  const [first, ...others] = audiences;
  if (first !== undefined && others.length === 0 && isSameAudience(first, audience)) return token;
  const has = audiences.length === 0 ? 'no audience' : `the audience ${audiences.join(', ').slice(0, 200)}`;
  throw new IdTokenError(
    `${nameOf(source)} has ${has}, and ${audience} is expected, so it was not sent: correct the audience of one of the two`,
  );
}

/** The claims of a token, unverified: for people to read. */
export interface IdTokenClaims {
  readonly issuer: string | undefined;
  readonly subject: string | undefined;
  readonly audiences: readonly string[];
  readonly expiresAt: Date | undefined;
}

/** @throws IdTokenError where it has no claims */
export function claimsOf(token: string): IdTokenClaims {
  const claims: unknown = parseJson(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString('utf8'));
  if (typeof claims !== 'object' || claims === null)
    throw new IdTokenError('the token is not a JSON Web Token with claims');
  const { iss, sub, aud, exp } = claims as Readonly<Record<string, unknown>>;
  const textOf = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
  const end = new Date(typeof exp === 'number' ? exp * 1000 : Number.NaN);
  return {
    issuer: textOf(iss),
    subject: textOf(sub),
    audiences: [aud].flat().map((audience) => textOf(audience) ?? ''),
    expiresAt: Number.isNaN(end.getTime()) ? undefined : end,
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** A slash at the end of an address says nothing. */
const isSameAudience = (aud: string, other: string): boolean => aud.replace(/\/+$/, '') === other.replace(/\/+$/, '');

const nameOf = (source: IdTokenSource): string =>
  source.from === 'github' ? "GitHub's token" : `the token in ${source.name}`;

async function rawToken(source: IdTokenSource, audience: string): Promise<string> {
  switch (source.from) {
    case 'value':
      return source.token;
    case 'file':
      return readTokenFile(source);
    case 'github':
      return askGitHub(source, audience);
  }
}

/** With white space around it. */
const longestFile = 2 * longestToken;

async function readTokenFile({ name, file }: Extract<IdTokenSource, { from: 'file' }>): Promise<string> {
  const refuse = (why: string): never => {
    throw new IdTokenError(`${name} names ${file}, which ${why}`);
  };
  // A pipe that no one writes to must not hold up the command.
  const flags = constants.O_RDONLY | ((constants.O_NONBLOCK as number | undefined) ?? 0);
  try {
    await using opened = await open(file, flags);
    const stats = await opened.stat();
    if (!stats.isFile()) refuse('is not a regular file');
    if (stats.size > longestFile) refuse('is too large for a token');
    const { buffer, bytesRead } = await opened.read(Buffer.alloc(longestFile), 0, longestFile, 0);
    return buffer.toString('utf8', 0, bytesRead);
  } catch (error) {
    if (error instanceof IdTokenError) throw error;
    return refuse(`cannot be read (${error instanceof Error && 'code' in error ? String(error.code) : 'unknown'})`);
  }
}

/** Asks the runner of GitHub Actions for a token (its documented request, as its own toolkit makes it). */
async function askGitHub(
  { url: address, authority }: Extract<IdTokenSource, { from: 'github' }>,
  audience: string,
): Promise<string> {
  const url = URL.parse(address);
  if (url === null) throw new IdTokenError('ACTIONS_ID_TOKEN_REQUEST_URL is not a URL');
  url.searchParams.set('audience', audience);
  const signal = AbortSignal.timeout(30_000);
  const headers = { authorization: `Bearer ${authority}`, accept: 'application/json' };
  const answer = await fetch(url, { headers, signal, redirect: 'error' }).catch((cause: unknown) => {
    throw new IdTokenError(`GitHub issued no token: ${cause instanceof Error ? cause.message : 'no answer'}`);
  });
  const body: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  if (typeof body === 'object' && body !== null && 'value' in body) return String(body.value);
  throw new IdTokenError(`GitHub issued no token: it answered with status ${answer.status}`);
}
