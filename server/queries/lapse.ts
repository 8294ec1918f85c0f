import type { Query, QueryResult } from '@rolecall/api';
import { selectLapsed, updateQuery } from '../store/query.ts';
import { saveQueryResult, selectQueryResults } from '../store/query-result.ts';
import type { RecordParts } from './record-sink.ts';
import { countSpooledRows, spoolFiles } from './spool.ts';

const message =
  'the service stopped while the query was not complete; its commands took effect only if they were being committed';

/**
 * Completes, as failed, what a service that died has left open. Nothing is run again.
 *
 * @param before leases that end before this time have run out
 * @param isLive queries of this process are let alone, however late it is with their leases
 */
export async function failLapsedQueries(
  { store, clock, spool }: RecordParts,
  before: string,
  isLive: (id: string) => boolean,
): Promise<void> {
  const lapsed = await store.read((executor) => selectLapsed(executor, before));
  for (const query of lapsed) {
    if (isLive(query.id)) continue;
    const now = clock().toISOString();
    const found = await store.read((executor) => selectQueryResults(executor, query.id));
    const results = await Promise.all(found.map((result) => closeResult(result, spool, now)));
    const end = errorResult(query, results.length, now);
    await store.write([], async (executor) => {
      const completed = { ...query, completedAt: now, success: false, numResults: results.length + 1 };
      if (!(await updateQuery(executor, completed))) return;
      for (const result of [...results, end]) await saveQueryResult(executor, result);
    });
  }
}

async function closeResult(result: QueryResult, spool: string, now: string): Promise<QueryResult> {
  if (result.completedAt !== null || result.type !== 'query') return result;
  const numRows = await countSpooledRows(spoolFiles(spool, result.queryId, result.ordinalPosition));
  return { ...result, completedAt: now, detail: { ...result.detail, hasMore: false, numRows, error: message } };
}

function errorResult(query: Query, ordinalPosition: number, now: string): QueryResult {
  const startedAt = query.startedAt ?? now;
  return {
    queryId: query.id,
    ordinalPosition,
    type: 'error',
    startedAt,
    completedAt: now,
    detail: { error: message },
  };
}
