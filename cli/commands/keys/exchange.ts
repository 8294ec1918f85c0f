import { type ExchangedKey, longestToken } from '@rolecall/api';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { type Environment, variable } from '../../process/io.ts';
import { fromFile } from '../../secrets/secret-source.ts';
import { findWorkspace, type WorkspaceFlags } from '../../workspace/connection.ts';
import { openClient } from '../../workspace/open-client.ts';

export interface ExchangeOptions extends CommonOptions, Pick<WorkspaceFlags, 'url' | 'caFile' | 'timeout'> {
  audience?: string;
}

/** `rolecall keys exchange`: standard output has nothing but what a shell evaluates. */
export async function exchange(context: Context, options: ExchangeOptions): Promise<ExitCode> {
  const { io, output } = context;
  // The operation looks at no key.
  const none = { keyId: 'none', keySecret: 'none' };
  const connection = findWorkspace(options, io.env, undefined, { credentials: none, sources: none });
  const token = await findToken(io.env, options.audience ?? connection.url);
  const client = openClient(connection, undefined, new AbortController().signal, context);
  try {
    const key = await client.call('exchangeToken', { body: { token } });
    output.say(`export ROLECALL_KEY_ID=${key.id} ROLECALL_KEY_SECRET=${key.secret}`);
    output.document(key);
    if (output.format === 'text') io.stderr.write(`${remark(key)}\n`);
  } finally {
    await client.close();
  }
  return exitCodes.ok;
}

function remark({ id, scope, dataSources, expiresAt }: ExchangedKey): string {
  const limit = dataSources === null ? '' : `, is limited to ${dataSources.length} data source(s)`;
  return `The key ${id} has the scope ${scope}${limit} and expires at ${expiresAt}.`;
}

/** @throws CliError that names every way to give a token, and repeats none */
async function findToken(env: Environment, audience: string): Promise<string> {
  const token = await lookUpToken(env, audience);
  if (/^[\w-]+\.[\w-]+\.[\w-]+$/.test(token) && token.length <= longestToken) return token;
  throw new CliError('ERR_ID_TOKEN', 'the token is not a JSON Web Token, which has three parts separated by dots');
}

async function lookUpToken(env: Environment, audience: string): Promise<string> {
  const given = variable(env, 'ROLECALL_ID_TOKEN');
  if (given !== undefined) return given.trim();
  const file = variable(env, 'ROLECALL_ID_TOKEN_FILE');
  if (file !== undefined) {
    const found = fromFile(file);
    if ('fault' in found) throw new CliError('ERR_ID_TOKEN', `ROLECALL_ID_TOKEN_FILE ${found.fault}`);
    return found.secret.trim();
  }
  const address = variable(env, 'ACTIONS_ID_TOKEN_REQUEST_URL');
  const authority = variable(env, 'ACTIONS_ID_TOKEN_REQUEST_TOKEN');
  if (address !== undefined && authority !== undefined) return askGitHub(address, authority, audience);
  throw new CliError(
    'ERR_ID_TOKEN',
    'there is no token to exchange: on GitHub, give the job "permissions: id-token: write"; on GitLab, declare ROLECALL_ID_TOKEN under id_tokens; elsewhere, set ROLECALL_ID_TOKEN or ROLECALL_ID_TOKEN_FILE',
  );
}

/** Asks the runner of GitHub Actions for a token (its documented request, as its own toolkit makes it). */
async function askGitHub(address: string, authority: string, audience: string): Promise<string> {
  const url = URL.parse(address);
  if (url === null) throw new CliError('ERR_ID_TOKEN', 'ACTIONS_ID_TOKEN_REQUEST_URL is not a URL');
  url.searchParams.set('audience', audience);
  const signal = AbortSignal.timeout(30_000);
  const headers = { authorization: `Bearer ${authority}`, accept: 'application/json' };
  const answer = await fetch(url, { headers, signal, redirect: 'error' }).catch((cause: unknown) => {
    throw new CliError(
      'ERR_ID_TOKEN',
      `GitHub issued no token: ${cause instanceof Error ? cause.message : 'no answer'}`,
    );
  });
  const body: unknown = answer.ok ? await answer.json().catch(() => undefined) : undefined;
  if (typeof body === 'object' && body !== null && 'value' in body) return String(body.value);
  throw new CliError('ERR_ID_TOKEN', `GitHub issued no token: it answered with status ${answer.status}`);
}
