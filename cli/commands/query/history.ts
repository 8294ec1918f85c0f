import type { MyQuery, PersonClient } from '@rolecall/api';
import { shortTime, visible } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { toCsv } from '../../output/csv.ts';
import { formatTable } from '../../output/table.ts';
import type { QueryFormat } from './print-results.ts';

const headings = ['created', 'data source', 'state', 'query', 'id'];

/** How much of a query one line of the table has, in characters. */
const shown = 80;

/** `rolecall query --history`: the person's latest queries, or those that contain a text. */
export async function printHistory(
  { io, output }: Context,
  client: PersonClient,
  { history, format }: { history: string | true; format: QueryFormat },
  signal: AbortSignal,
): Promise<void> {
  const query = history === true ? {} : { search: history };
  const found = await client.call('listMyQueries', { query }, { signal });
  if (format === 'table')
    output.say(found.length === 0 ? 'No query matches.' : formatTable(headings, found.map(rowOf)));
  else if (format === 'csv') io.stdout.write(toCsv(headings, found.map(fieldsOf)));
  else if (format === 'ndjson') io.stdout.write(found.map((one) => `${JSON.stringify(one)}\n`).join(''));
  else output.document(found);
}

function rowOf(query: MyQuery): string[] {
  const [created = '', source = '', state = '', beginning = '', id = ''] = fieldsOf(query);
  const line = visible(beginning.replaceAll(/\s+/g, ' ').trim());
  return [shortTime(created), source, state, line.length > shown ? `${line.slice(0, shown - 1)}…` : line, id];
}

function fieldsOf({ createdAt, dataSource, success, completedAt, beginning, id }: MyQuery): string[] {
  const state = completedAt === null ? 'running' : success === true ? 'done' : 'failed';
  return [createdAt, dataSource.alias ?? dataSource.name, state, beginning ?? '', id];
}
