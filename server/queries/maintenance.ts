import type { Query, QueryResult } from '@rolecall/api';
import { deleted } from '../audit/change.ts';
import type { EntryDraft } from '../audit/entry.ts';
import type { Clock } from '../clock.ts';
import type { Spool } from '../spool/spool.ts';
import { deleteCompletedQueries, failQuery, findQuery, renewLeases, selectExpired } from '../store/query.ts';
import { saveQueryResult, selectQueryResults } from '../store/query-result.ts';
import type { Store } from '../store/store.ts';
import type { Leases } from './leases.ts';
import type { RecordParts } from './record-sink.ts';
import { startTicker, type Ticker } from './ticker.ts';

/** Later than any lease ends. */
const endOfTime = '9999';

export interface MaintenanceParts extends RecordParts {
  /** Seconds for which completed queries are kept; 0 for ever. */
  readonly retentionSeconds: number;
  readonly leases: Leases;
}

/**
 * Recovers from an earlier crash, before the first query. If this process has the store to itself, every open query
 * fails; otherwise only those with an expired lease do, since the rest may run at another replica.
 */
export async function recover(parts: MaintenanceParts): Promise<void> {
  const { store } = parts;
  await failExpiredQueries(parts, store.replicas === undefined ? endOfTime : await readNow(parts));
  await removeExpired(parts);
  await sweepSpool(parts);
}

/** Renews the leases in time, and soon again where that failed, since the store was away. */
export function startRenewals(
  { store, leases, runner }: Pick<MaintenanceParts, 'store' | 'leases' | 'runner'>,
  onError: (error: unknown) => void,
): Ticker {
  return startTicker(leases.checkEvery, () => renew(store, leases, runner), onError);
}

async function renew(store: Store, leases: Leases, runner: string): Promise<void> {
  if (!leases.areDue) return;
  const renewed = await store.write([], async (executor) => {
    // Not before: the write may have waited for its turn, or for a store that was away.
    const begun = leases.begin();
    await renewLeases(executor, runner, leases.endAfter(await executor.now()));
    return begun;
  });
  renewed();
}

/** Fails expired queries and applies the retention. Runs every few seconds, and may take longer than a lease lasts. */
export async function maintain(parts: MaintenanceParts): Promise<void> {
  await failExpiredQueries(parts, await readNow(parts));
  await removeExpired(parts);
}

/** Removes rows whose query no longer exists. */
export async function sweepSpool({ store, spool }: MaintenanceParts): Promise<void> {
  await spool.sweep(async (id) => (await store.read((executor) => findQuery(executor, id))) !== undefined);
}

async function readNow({ store }: MaintenanceParts): Promise<string> {
  const now = await store.read((executor) => executor.now());
  return now.toISOString();
}

async function removeExpired({ store, clock, spool, retentionSeconds }: MaintenanceParts): Promise<void> {
  if (retentionSeconds === 0) return;
  const cutoff = new Date(clock().getTime() - retentionSeconds * 1000).toISOString();
  const removeSome = () =>
    store.write([], async (executor, record) => {
      const queries = await deleteCompletedQueries(executor, cutoff);
      if (queries.length > 0) record(retentionEntry(queries, clock));
      return queries;
    });
  for (let expired = await removeSome(); expired.length > 0; expired = await removeSome()) {
    for (const { id } of expired) await spool.remove(id);
  }
}

function retentionEntry(queries: readonly { id: string; dataSource: string }[], clock: Clock): EntryDraft {
  const changes = queries.map(({ id, dataSource }) => deleted({ kind: 'query', id, fields: { dataSource } }));
  const actor = { type: 'service', id: 'retention' } as const;
  return { at: clock().toISOString(), actor, operation: 'query-retention', requestId: null, changes };
}

const message =
  'the service stopped before the query was complete; its commands took effect only if their commit had begun';

/**
 * Completes, as failed, the queries that a dead process left open. Runs nothing again. If several processes do this at
 * once, the first one's account stays.
 *
 * @param expiry leases that end before this time, by the store's clock, have expired
 */
async function failExpiredQueries({ store, clock, spool }: RecordParts, expiry: string): Promise<void> {
  const expired = await store.read((executor) => selectExpired(executor, expiry));
  for (const query of expired) {
    const now = clock().toISOString();
    const stored = await store.read((executor) => selectQueryResults(executor, query.id));
    const results = await Promise.all(stored.map((result) => closeResult(result, spool, now)));
    const end = errorResult(query, results.length, now);
    await store.write([], async (executor) => {
      const numResults = results.length + 1;
      if (!(await failQuery(executor, { id: query.id, before: expiry, at: now, numResults }))) return;
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
