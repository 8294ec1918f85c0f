import { readFile } from 'node:fs/promises';
import { longestToken } from '../resources/token.ts';
import { IdTokenError } from './errors.ts';

/** Where the token of a pipeline's platform is. */
export type IdTokenSource =
  | { readonly from: 'value'; readonly name: string; readonly token: string }
  | { readonly from: 'file'; readonly name: string; readonly file: string }
  | { readonly from: 'github'; readonly url: string; readonly authority: string };

type Environment = Readonly<Record<string, string | undefined>>;

/** Finds it as the platforms give it: a variable, a file, or the runner of GitHub Actions; undefined where there is none. */
export function findIdToken(env: Environment): IdTokenSource | undefined {
  const token = env['ROLECALL_ID_TOKEN'];
  if (isGiven(token)) return { from: 'value', name: 'ROLECALL_ID_TOKEN', token };
  const file = env['ROLECALL_ID_TOKEN_FILE'];
  if (isGiven(file)) return { from: 'file', name: 'ROLECALL_ID_TOKEN_FILE', file };
  const [url, authority] = [env['ACTIONS_ID_TOKEN_REQUEST_URL'], env['ACTIONS_ID_TOKEN_REQUEST_TOKEN']];
  return isGiven(url) && isGiven(authority) ? { from: 'github', url, authority } : undefined;
}

const isGiven = (text: string | undefined): text is string => text !== undefined && text !== '';

/**
 * Reads the token, or has a new one signed.
 *
 * @param audience of the token, where it is asked for
 * @throws IdTokenError
 */
export async function readIdToken(source: IdTokenSource, audience: string): Promise<string> {
  const token = (await rawToken(source, audience)).trim();
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length <= longestToken) return token;
  throw new IdTokenError('the token is not a JSON Web Token, which has three parts separated by dots');
}

async function rawToken(source: IdTokenSource, audience: string): Promise<string> {
  switch (source.from) {
    case 'value':
      return source.token;
    case 'file':
      try {
        return await readFile(source.file, 'utf8');
      } catch (error) {
        const code = error instanceof Error && 'code' in error ? String(error.code) : 'unknown';
        throw new IdTokenError(`${source.name} names a file that cannot be read (${code})`);
      }
    case 'github':
      return askGitHub(source, audience);
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
