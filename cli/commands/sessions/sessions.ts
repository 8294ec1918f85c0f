import {
  type Client,
  type GatewaySession,
  gatewaySessionsAPage,
  type PersonSession,
  ProblemError,
} from '@rolecall/api';
import { visible } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { CliError } from '../../errors.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { formatTable } from '../../output/table.ts';
import { counted } from '../../output/words.ts';
import { failIfStopped } from '../../process/interrupts.ts';
import type { WorkspaceFlags } from '../../workspace/connection.ts';
import { findPersonId } from '../../workspace/find-person.ts';
import { withService } from '../../workspace/read-live.ts';

export interface SessionsOptions extends CommonOptions, Omit<WorkspaceFlags, 'workspace'> {
  person?: string;
  gateway?: true;
}

/** `rolecall sessions list`. */
export async function list(context: Context, options: SessionsOptions): Promise<ExitCode> {
  const { output } = context;
  if (options.gateway === true) {
    const connections = await withService(context, options, (client) => selectConnections(client, options.person));
    output.say(connections.length === 0 ? 'No one is connected through the gateway.' : connectionTable(connections));
    output.document(connections);
    return exitCodes.ok;
  }
  const sessions = await withService(context, options, (client) => select(client, options.person));
  const rows = sessions.map(({ id, person, factors, lastUsedAt, expiresAt, address, client }) =>
    [id, person.username, factors.join(' + '), lastUsedAt, expiresAt, address, client].map(visible),
  );
  const headings = ['id', 'person', 'factors', 'last used', 'expires', 'address', 'client'];
  output.say(sessions.length === 0 ? 'No one is signed in.' : formatTable(headings, rows));
  output.document(sessions);
  return exitCodes.ok;
}

function connectionTable(sessions: readonly GatewaySession[]): string {
  const headings = ['id', 'person', 'data source', 'since', 'until', 'address', 'client', 'process'];
  const rows = sessions.map(({ id, person, dataSource, startedAt, until, address, client, process }) =>
    [
      ...[id, person.username, dataSource.alias ?? dataSource.name, startedAt, until ?? 'no end'],
      ...[address, client, process],
    ].map(visible),
  );
  return formatTable(headings, rows);
}

/** `rolecall sessions end`. */
export async function end(context: Context, id: string | undefined, options: SessionsOptions): Promise<ExitCode> {
  const { person, gateway = false } = options;
  if ((id === undefined) === (person === undefined)) {
    throw new CliError('ERR_USAGE', 'name a session, or give --person for all sessions of a person');
  }
  const ended: string[] = [];
  try {
    await withService(context, options, async (client, interrupts) => {
      const all = gateway ? selectConnections : select;
      const ids = id === undefined ? (await all(client, person)).map((session) => session.id) : [id];
      interrupts.protectWrites();
      for (const sessionId of ids) {
        failIfStopped(interrupts);
        if (await endOne(client, sessionId, options)) ended.push(sessionId);
      }
    });
  } catch (error) {
    if (ended.length > 0) showEnded(context, ended, gateway);
    throw error;
  }
  showEnded(context, ended, gateway);
  return exitCodes.ok;
}

/** @returns false for a session of a person that ended by itself after it was listed */
async function endOne(client: Client, id: string, options: SessionsOptions): Promise<boolean> {
  const { person, gateway = false } = options;
  try {
    if (gateway) await client.call('endGatewaySession', { params: { gatewaySession: id } });
    else await client.call('endSession', { params: { session: id } });
    return true;
  } catch (error) {
    if (person !== undefined && error instanceof ProblemError && error.status === 404) return false;
    throw error;
  }
}

function showEnded({ output }: Context, ended: readonly string[], isGateway: boolean): void {
  const effect = isGateway
    ? 'their clients are told within a second'
    : 'from the next request on, their tokens are refused';
  output.say(`${counted(ended.length, 'session')} ended: ${effect}.`);
  output.document({ ended });
}

async function select(client: Client, name: string | undefined): Promise<PersonSession[]> {
  const all = await client.call('listSessions', {});
  if (name === undefined) return all;
  const id = await findPersonId(client, name);
  return all.filter(({ person }) => person.id === id);
}

/** Those of all pages. */
async function selectConnections(client: Client, name: string | undefined): Promise<GatewaySession[]> {
  const id = name === undefined ? undefined : await findPersonId(client, name);
  const all: GatewaySession[] = [];
  for (let isComplete = false, offset = 0; !isComplete; offset += gatewaySessionsAPage) {
    const page = await client.call('listGatewaySessions', { query: { offset: String(offset) } });
    all.push(...page.sessions);
    ({ isComplete } = page);
  }
  return id === undefined ? all : all.filter(({ person }) => person.id === id);
}
