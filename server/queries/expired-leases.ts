import type { Query, QueryResult } from '@rolecall/api';
import type { Spool } from '../spool/spool.ts';
import { failQuery, selectExpired } from '../store/query.ts';
import { saveQueryResult, selectQueryResults } from '../store/query-result.ts';
import type { RecordParts } from './record-sink.ts';

const message =
  'the service stopped before the query was complete; its commands took effect only if their commit had begun';

/**
 * Completes, as failed, the queries that a dead process left open. Runs nothing again. If several processes do this at
 * once, the first one's account stays.
 *
 * @param before leases that end before this time, by the store's clock, have expired
 */
export async function failExpiredQueries({ store, clock, spool }: RecordParts, before: string): Promise<void> {
  const expired = await store.read((executor) => selectExpired(executor, before));
  for (const query of expired) {
    const now = clock().toISOString();
    const found = await store.read((executor) => selectQueryResults(executor, query.id));
    const results = await Promise.all(found.map((result) => closeResult(result, spool, now)));
    const end = errorResult(query, results.length, now);
    await store.write([], async (executor) => {
      const numResults = results.length + 1;
      if (!(await failQuery(executor, { id: query.id, before, at: now, numResults }))) return;
      for (const result of [...results, end]) await saveQueryResult(executor, result);
    });
  }
}

async function closeResult(result: QueryResult, spool: Spool, now: string): Promise<QueryResult> {
  if (result.completedAt !== null || result.type !== 'query') return result;
  const numRows = await spool.count({ query: result.queryId, ordinal: result.ordinalPosition });
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
