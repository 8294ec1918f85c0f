import { Readable } from 'node:stream';
import type { DataSourceReference, ExportFormat } from '@rolecall/api';
import type { FastifyReply } from 'fastify';
import { writeCsv } from '../export/csv.ts';
import { writeJson } from '../export/json.ts';
import { type Row, readRows } from '../export/rows.ts';
import { requireRows } from '../handlers/query-rows.ts';
import { OwnAnswer } from '../http/messages/own-answer.ts';
import { JsonBytes } from '../json-answer.ts';
import type { Queries } from '../queries/index.ts';
import { notFound, Refusal } from '../refusal.ts';
import { SpoolGoneError } from '../spool/spool.ts';
import { findMyQuery } from '../store/query-command.ts';
import type { PersonContext } from './handler.ts';

export interface ResultToExport {
  readonly query: string;
  readonly resultIndex: number;
  readonly format: ExportFormat;
  /** The person's id. */
  readonly person: string;
}

const writers = { csv: writeCsv, json: writeJson };
const mediaTypes = { csv: 'text/csv; charset=utf-8; header=present', json: 'application/json' };

/**
 * Answers a whole result as a file, written as the client reads it. It is recorded before the first row is sent. If the
 * person's access ends in between, the connection is cut.
 *
 * @throws Refusal not_found, result_incomplete, too_many_requests, access_ended
 */
export async function exportResult(wanted: ResultToExport, context: PersonContext): Promise<OwnAnswer> {
  const { store, passages, exportSlots, queries } = context;
  const { query, format, person } = wanted;
  const myQuery = await store.read((executor) => findMyQuery(executor, query, person));
  if (myQuery === undefined) throw notFound('query', query);
  const { detail, ordinalPosition: ordinal } = await requireRows(wanted, { queries });
  if (detail.hasMore) {
    throw new Refusal(
      'result_incomplete',
      `the rows of result ${ordinal} of the query ${query} are still being fetched`,
    );
  }
  const release = exportSlots.take(person);
  const rows = rowsOf(queries, { query, ordinal }, detail.numRows);
  const file = Readable.from(writers[format](detail.columns, rows), { objectMode: false });
  file.once('close', release);
  // Without a listener, an error in a file that no client waits for would end the process.
  file.on('error', () => undefined);
  try {
    await store.write([], (_executor, record) => {
      const after = { dataSource: myQuery.dataSource.id, result: ordinal, format, rows: detail.numRows };
      record([{ kind: 'query', id: query, action: 'exported', after }]);
    });
    const leave = await passages.enter({ id: query, person, source: myQuery.dataSource }, (reason) => {
      file.destroy(new Error(reason));
    });
    file.once('close', leave);
  } catch (error) {
    file.destroy();
    throw error;
  }
  const isWhole = detail.error === undefined;
  const name = fileName(myQuery.dataSource, { createdAt: myQuery.createdAt, isWhole, format });
  return new OwnAnswer((reply) => {
    sendFile(reply, file, { name, type: mediaTypes[format] });
  });
}

/**
 * The rows of a result. Opened only when the first row is asked for, so that a download that is refused opens nothing.
 *
 * @throws Refusal not_found if the query is deleted meanwhile
 */
export async function* rowsOf(
  queries: Pick<Queries, 'readRows'>,
  result: { query: string; ordinal: number },
  numRows: number,
): AsyncGenerator<Row[]> {
  if (numRows === 0) return;
  try {
    const json = await queries.readRows(result, { seek: 0, limit: numRows, numRows });
    yield* readRows(json instanceof JsonBytes ? Readable.from([json.bytes]) : json.stream);
  } catch (error) {
    // Deleted in between, also while it is read.
    throw error instanceof SpoolGoneError ? notFound('query', result.query) : error;
  }
}

/** A name that every file system takes. One of rows that broke off says so, since the file alone looks whole. */
function fileName(
  { alias, name }: DataSourceReference,
  { createdAt, isWhole, format }: { createdAt: string; isWhole: boolean; format: ExportFormat },
): string {
  const source = (alias ?? name)
    .replaceAll(/[^A-Za-z0-9_-]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 60);
  const at = createdAt.slice(0, 19).replaceAll(/[:-]/g, '').replace('T', '-');
  return `${source === '' ? 'result' : source}-${at}${isWhole ? '' : '-incomplete'}.${format}`;
}

function sendFile(reply: FastifyReply, file: Readable, { name, type }: { name: string; type: string }): void {
  void reply
    .header('x-request-id', reply.request.id)
    .header('content-type', type)
    .header('content-disposition', `attachment; filename="${name}"`)
    .header('cache-control', 'no-store')
    .header('x-content-type-options', 'nosniff');
  if (reply.request.method === 'HEAD') {
    file.destroy();
    void reply.send();
    return;
  }
  void reply.send(file);
}
