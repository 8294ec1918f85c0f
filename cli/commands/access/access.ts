import type { Access, AccessGrant } from '@rolecall/api';
import { shortTime } from '@rolecall/reconcile';
import type { CommonOptions, Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { formatTable } from '../../output/table.ts';
import { openPersonClient, type PersonFlags } from '../../person/open-person-client.ts';
import { orInterrupted, watchInterrupts } from '../../process/interrupts.ts';

/** `rolecall access`. */
export async function access(context: Context, options: CommonOptions & PersonFlags): Promise<ExitCode> {
  const { output } = context;
  using interrupts = watchInterrupts(context);
  await using client = openPersonClient(options, context, interrupts.abandon);
  const answer = await orInterrupted(client.call('listMyAccess', {}), interrupts.abandon);
  const rows = answer.dataSources.map(rowOf);
  const headings = ['data source', 'type', 'access', 'through'];
  output.say(rows.length === 0 ? 'You reach no data source.' : formatTable(headings, rows));
  output.document(answer);
  return exitCodes.ok;
}

function rowOf({ dataSource, allowed, until, detail, through, upcoming }: Access): string[] {
  const grants = allowed ? through : upcoming;
  return [dataSource.alias ?? dataSource.name, dataSource.type, stateOf(), grants.map(grantName).join(', ')];

  function stateOf(): string {
    if (allowed) return until === null ? 'without an end' : `until ${shortTime(until)}`;
    const [next] = upcoming;
    return next === undefined ? (detail ?? 'ended') : `from ${shortTime(next.startsAt)}`;
  }
}

function grantName({ through, id, name }: AccessGrant): string {
  return through === 'role' ? `role ${name ?? id}` : `permission ${id}`;
}
