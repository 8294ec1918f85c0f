import type { MyQuery, PersonClient } from '@rolecall/api';
import { shortTime, visible } from '@rolecall/reconcile';
import type { Context } from '../../command.ts';
import { toCsv } from '../../output/csv.ts';
import { formatTable } from '../../output/table.ts';
import type { QueryFormat } from './print-results.ts';

const headings = ['created', 'data source', 'state', 'query', 'id'];

/** Characters of a query that a line of the table shows. */
const shown = 80;

/** `rolecall query --history`: the person's latest queries, or those that contain a text. */
export async function printHistory(
  { io, output }: Context,
  client: PersonClient,
  { history, format }: { history: string | true; format: QueryFormat },
  signal: AbortSignal,
): Promise<void> {
  const query = history === true ? {} : { search: history };
  const queries = await client.call('listMyQueries', { query }, { signal });
  if (format === 'table')
    output.say(queries.length === 0 ? 'No query matches.' : formatTable(headings, queries.map(rowOf)));
  else if (format === 'csv') io.stdout.write(toCsv(headings, queries.map(fieldsOf)));
  else if (format === 'ndjson') io.stdout.write(queries.map((entry) => `${JSON.stringify(entry)}\n`).join(''));
  else output.document(queries);
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
