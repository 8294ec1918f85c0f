import { setTimeout as sleep } from 'node:timers/promises';
import { findQuery, requestStop, selectRunning } from '../store/query.ts';
import type { Store } from '../store/store.ts';
import type { Leases } from './leases.ts';
import type { LiveQuery } from './live-query.ts';

/** Milliseconds to wait for queries at other replicas to stop, and the pause between two checks. */
const stopTimeout = 10_000;
const stopPause = 50;

/**
 * Cancels a query that another replica runs: asks for it through the store, and waits until the query is complete. A
 * replica that has died never answers. Its query completes when the lease expires, which this does not wait for.
 */
export async function cancelRemotely(store: Store, id: string, reason: string): Promise<void> {
  await cancelAllRemotely(store, () =>
    store.write([], async (executor) => ((await requestStop(executor, id, reason)) ? [id] : [])),
  );
}

/**
 * Cancels several queries that other replicas run.
 *
 * @param request asks for them to be cancelled, and returns their identifiers
 */
export async function cancelAllRemotely(store: Store, request: () => Promise<readonly string[]>): Promise<void> {
  if (store.replicas === undefined) return;
  const requested = await request();
  if (requested.length === 0) return;
  store.replicas.notify();
  const until = performance.now() + stopTimeout;
  for (const id of requested) {
    while (performance.now() < until && (await isOpen(store, id))) await sleep(stopPause);
  }
}

async function isOpen(store: Store, id: string): Promise<boolean> {
  const query = await store.read((executor) => findQuery(executor, id));
  return query?.completedAt === null;
}

/** Milliseconds after which a process checks whether its queries are to stop, in case a notification was lost. */
export const cancelCheckEvery = 500;

/**
 * Stops the queries of this process that another replica wants cancelled, that were deleted, or whose lease expired.
 *
 * @param runner the id of this process
 * @throws StoreUnavailableError
 */
export async function stopCancelled(store: Store, leases: Leases, runner: string): Promise<void> {
  const stored = [...leases.live.values()].filter((query) => query.stored);
  if (stored.length === 0) return;
  for (const query of stored) abortExpired(query, leases);
  const running = await store.read((executor) => selectRunning(executor, runner));
  for (const { id, abort } of stored) {
    const reason = running.get(id);
    // A missing query may just have completed: then there is nothing left to abort.
    if (reason === undefined) abort.abort(new Error('the query was deleted, or its lease expired'));
    else if (reason !== null) abort.abort(new Error(reason));
  }
}

function abortExpired(query: LiveQuery, leases: Leases): void {
  try {
    leases.check(query);
  } catch (error) {
    query.abort.abort(error);
  }
}
