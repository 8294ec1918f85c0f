import { type ExchangedKey, readIdToken } from '@rolecall/api';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { findWorkspace, type WorkspaceFlags } from '../../workspace/connection.ts';
import { findToken, noToken, type TokenFlags } from '../../workspace/id-token.ts';
import { openClient } from '../../workspace/open-client.ts';

export interface ExchangeOptions
  extends CommonOptions,
    TokenFlags,
    Pick<WorkspaceFlags, 'url' | 'caFile' | 'timeout'> {}

/** `rolecall keys exchange`: standard output has nothing but what a shell evaluates. */
export async function exchange(context: Context, options: ExchangeOptions): Promise<ExitCode> {
  const { io, output } = context;
  const idToken = findToken(options, io.env);
  // The operation looks at no key.
  const none = { by: 'key', keyId: 'none', keySecret: 'none', sources: { keyId: 'none', keySecret: 'none' } } as const;
  const connection = findWorkspace(options, io.env, undefined, none);
  if (idToken === undefined) throw noToken();
  const token = await readIdToken(idToken.source, idToken.audience ?? connection.url);
  await using client = openClient(connection, undefined, new AbortController().signal, context);
  const key = await client.call('exchangeToken', { body: { token } });
  output.say(`export ROLECALL_KEY_ID=${key.id} ROLECALL_KEY_SECRET=${key.secret}`);
  // A key and a token are an error for the commands that come after this one.
  output.say('unset ROLECALL_ID_TOKEN ROLECALL_ID_TOKEN_FILE ROLECALL_ID_TOKEN_AUDIENCE');
  output.document(key);
  if (output.format === 'text') io.stderr.write(`${remark(key)}\n`);
  return exitCodes.ok;
}

function remark({ id, scope, dataSources, expiresAt }: ExchangedKey): string {
  const limit = dataSources === null ? '' : `, is limited to ${dataSources.length} data source(s)`;
  return `The key ${id} has the scope ${scope}${limit} and expires at ${expiresAt}.`;
}
