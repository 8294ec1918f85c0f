import type { Client, PersonSession } from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { formatTable } from '../../output/table.ts';
import { counted } from '../../output/words.ts';
import { findWorkspace, type WorkspaceFlags } from '../../workspace/connection.ts';
import { findCredentials } from '../../workspace/credentials.ts';
import { findPersonId } from '../../workspace/find-person.ts';
import { withClient } from '../../workspace/read-live.ts';

export interface SessionsOptions extends CommonOptions, Omit<WorkspaceFlags, 'workspace'> {
  person?: string;
}

/** `rolecall sessions list`. */
export async function list(context: Context, options: SessionsOptions): Promise<ExitCode> {
  const { output } = context;
  const found = await call(context, options, (client) => select(client, options.person));
  const rows = found.map(({ id, person, factors, lastUsedAt, expiresAt, address, client }) =>
    [id, person.username, factors.join(' + '), lastUsedAt, expiresAt, address, client].map(visible),
  );
  const headings = ['id', 'person', 'factors', 'last used', 'expires', 'address', 'client'];
  output.say(found.length === 0 ? 'No one is signed in.' : formatTable(headings, rows));
  output.document(found);
  return exitCodes.ok;
}

/** `rolecall sessions end`. */
export async function end(context: Context, id: string | undefined, options: SessionsOptions): Promise<ExitCode> {
  const { person } = options;
  if ((id === undefined) === (person === undefined)) {
    throw new CliError('ERR_USAGE', 'name a session, or give --person for all sessions of a person');
  }
  const ended = await call(context, options, async (client) => {
    const ids = id === undefined ? (await select(client, person)).map((one) => one.id) : [id];
    for (const session of ids) await client.call('endSession', { params: { session } });
    return ids;
  });
  context.output.say(`${counted(ended.length, 'session')} ended: from the next request on, their tokens are refused.`);
  context.output.document({ ended });
  return exitCodes.ok;
}

function call<T>(context: Context, options: SessionsOptions, work: (client: Client) => Promise<T>): Promise<T> {
  const { env } = context.io;
  const connection = findWorkspace(options, env, undefined, findCredentials(options, env, undefined));
  return withClient(context, connection, work);
}

async function select(client: Client, name: string | undefined): Promise<PersonSession[]> {
  const all = await client.call('listSessions', {});
  if (name === undefined) return all;
  const id = await findPersonId(client, name);
  return all.filter(({ person }) => person.id === id);
}
