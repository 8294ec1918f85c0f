import { type ExchangedKey, findIdToken, IdTokenError, readIdToken } from '@rolecall/api';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import type { Environment } from '../../process/io.ts';
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
  const source = findIdToken(env);
  if (source === undefined) {
    throw new CliError(
      'ERR_ID_TOKEN',
      'there is no token to exchange: on GitHub, give the job "permissions: id-token: write"; on GitLab, declare ROLECALL_ID_TOKEN under id_tokens; elsewhere, set ROLECALL_ID_TOKEN or ROLECALL_ID_TOKEN_FILE',
    );
  }
  try {
    return await readIdToken(source, audience);
  } catch (error) {
    if (!(error instanceof IdTokenError)) throw error;
    throw new CliError('ERR_ID_TOKEN', error.message);
  }
}
