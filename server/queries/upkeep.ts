import { deleted } from '../audit/change.ts';
import type { EntryDraft } from '../audit/entry.ts';
import type { Clock } from '../clock.ts';
import { deleteCompletedQueries, findQuery, renewLease } from '../store/query.ts';
import { failLapsedQueries } from './lapse.ts';
import type { RecordParts } from './record-sink.ts';
import { listSpools, removeSpool } from './spool.ts';

/** How long a lease lasts, and how often all are renewed, in milliseconds: a few renewals may be late. */
export const lease = { lasts: 20_000, renewed: 5000 };

/** After every time that a lease can have. */
const endOfTime = '9999';

export interface UpkeepParts extends RecordParts {
  /** How long completed queries are kept, in seconds; 0 for ever. */
  readonly retentionSeconds: number;
  /** The queries of this process that are not complete. */
  readonly live: ReadonlyMap<string, unknown>;
}

/** When a lease ends that is taken now. */
export function leaseEnd(now: Date): string {
  return new Date(now.getTime() + lease.lasts).toISOString();
}

/** Before the first query: the folder belongs to this process alone, so whatever is open was left by one that died. */
export async function cleanUp(parts: UpkeepParts): Promise<void> {
  await failLapsedQueries(parts, endOfTime, () => false);
  await removeExpired(parts);
  for (const id of await listSpools(parts.spool)) {
    const query = await parts.store.read((executor) => findQuery(executor, id));
    if (query === undefined) await removeSpool(parts.spool, id);
  }
}

/** What is done every few seconds. */
export async function keepUp(parts: UpkeepParts): Promise<void> {
  const { store, clock, live } = parts;
  const until = leaseEnd(clock());
  if (live.size > 0) {
    await store.write([], async (executor) => {
      for (const id of live.keys()) await renewLease(executor, id, until);
    });
  }
  await failLapsedQueries(parts, clock().toISOString(), (id) => live.has(id));
  await removeExpired(parts);
}

async function removeExpired({ store, clock, spool, retentionSeconds }: UpkeepParts): Promise<void> {
  if (retentionSeconds === 0) return;
  const before = new Date(clock().getTime() - retentionSeconds * 1000).toISOString();
  const expired = await store.write([], async (executor, record) => {
    const queries = await deleteCompletedQueries(executor, before);
    if (queries.length > 0) record(retentionEntry(queries, clock));
    return queries;
  });
  for (const { id } of expired) await removeSpool(spool, id);
}

function retentionEntry(queries: readonly { id: string; dataSource: string }[], clock: Clock): EntryDraft {
  const changes = queries.map(({ id, dataSource }) => deleted({ kind: 'query', id, fields: { dataSource } }));
  const actor = { type: 'service', id: 'retention' } as const;
  return { at: clock().toISOString(), actor, operation: 'query-retention', requestId: null, changes };
}
