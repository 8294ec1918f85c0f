import type { Query, QueryResult } from '@rolecall/api';
import { deleted } from '../audit/change.ts';
import type { JsonBytes } from '../json-answer.ts';
import { JsonStream } from '../json-answer.ts';
import type { Queries } from '../queries/index.ts';
import { notFound, Refusal } from '../refusal.ts';
import { type ResultId, SpoolGoneError } from '../spool/spool.ts';
import { deleteQuery } from '../store/query.ts';
import type { RequestStore } from './handler.ts';

/** Parts that reading a query needs, for a key and for a person. */
interface Reading {
  readonly queries: Queries;
  readonly store: Pick<RequestStore, 'write'>;
}

interface ResultParams {
  readonly query: string;
  readonly resultIndex: number;
}

const defaultLimit = 1000;

/** @throws Refusal not_found */
export async function requireQuery(id: string, { queries }: Pick<Reading, 'queries'>): Promise<Query> {
  const query = await queries.find(id);
  if (query === undefined) throw notFound('query', id);
  return query;
}

/** @param by who cancels it, for its reader @throws Refusal not_found */
export async function cancelQuery(
  id: string,
  { queries, store }: { readonly queries: Queries; readonly store: Pick<RequestStore, 'note'> },
  by?: string,
): Promise<Record<string, never>> {
  const { completedAt } = await requireQuery(id, { queries });
  await queries.cancel(id, by);
  if (completedAt === null) await store.note([{ kind: 'query', id, action: 'cancelled' }]);
  return {};
}

/** @throws Refusal not_found */
export async function removeQuery(id: string, { queries, store }: Reading): Promise<Record<string, never>> {
  await queries.remove(id, () =>
    store.write([], async (executor, record) => {
      const dataSource = await deleteQuery(executor, id);
      if (dataSource === undefined) throw notFound('query', id);
      record([deleted({ kind: 'query', id, fields: { dataSource } })]);
    }),
  );
  return {};
}

/** @throws Refusal not_found */
export async function requireResult(
  { query, resultIndex }: ResultParams,
  reading: Pick<Reading, 'queries'>,
): Promise<QueryResult> {
  const result = await reading.queries.findResult(query, resultIndex);
  if (result !== undefined) return result;
  await requireQuery(query, reading);
  throw new Refusal('not_found', `the query ${query} has no result ${resultIndex}, or not yet`);
}

/** A result that has rows. @throws Refusal not_found */
export async function requireRows(
  params: ResultParams,
  reading: Pick<Reading, 'queries'>,
): Promise<Extract<QueryResult, { type: 'query' }>> {
  const result = await requireResult(params, reading);
  if (result.type === 'query') return result;
  throw new Refusal('not_found', `result ${result.ordinalPosition} is of type ${result.type}: it has no rows`);
}

/** Reads a page of rows. Every row that is answered is recorded: fails if the store cannot be written. @throws Refusal not_found */
export async function readRows(
  params: ResultParams,
  { seek = 0, limit = defaultLimit }: { seek?: number | undefined; limit?: number | undefined },
  reading: Reading,
): Promise<JsonBytes | JsonStream | never[]> {
  const result = await requireRows(params, reading);
  const { numRows } = result.detail;
  if (seek >= numRows) return [];
  const rows = { query: params.query, ordinal: result.ordinalPosition };
  try {
    const answer = await reading.queries.readRows(rows, { seek, limit, numRows });
    await recordReading(rows, { seek, rows: Math.min(limit, numRows - seek) }, reading).catch((error: unknown) => {
      if (answer instanceof JsonStream) answer.stream.destroy();
      throw error;
    });
    return answer;
  } catch (error) {
    // Deleted in between.
    if (error instanceof SpoolGoneError) throw notFound('query', params.query);
    throw error;
  }
}

async function recordReading(
  { query, ordinal }: ResultId,
  page: { seek: number; rows: number },
  { queries, store }: Reading,
): Promise<void> {
  const dataSource = await queries.dataSourceOf(query);
  // Deleted in between.
  if (dataSource === undefined) throw notFound('query', query);
  const after = { dataSource, result: ordinal, ...page };
  await store.write([], (_executor, record) => {
    record([{ kind: 'query', id: query, action: 'rows read', after }]);
  });
}
