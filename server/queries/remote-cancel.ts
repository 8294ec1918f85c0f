import { setTimeout as sleep } from 'node:timers/promises';
import { findQuery, requestStop } from '../store/query.ts';
import type { Store } from '../store/store.ts';

/** How long to wait until queries at other replicas have stopped, and between two looks, in milliseconds. */
const patience = { total: 10_000, pause: 50 };

/**
 * Stops a query that another replica runs: asks it through the store, and waits until it is complete. A replica that has
 * died never answers; its query completes when the lease runs out, and nobody waits that long.
 */
export async function cancelRemotely(store: Store, id: string, reason: string): Promise<void> {
  await cancelAllRemotely(store, () =>
    store.write([], async (executor) => ((await requestStop(executor, id, reason)) ? [id] : [])),
  );
}

/**
 * The same for several queries.
 *
 * @param ask asks for them to be stopped, and gives their identifiers
 */
export async function cancelAllRemotely(store: Store, ask: () => Promise<readonly string[]>): Promise<void> {
  if (store.replicas === undefined) return;
  const asked = await ask();
  if (asked.length === 0) return;
  store.replicas.notify();
  const until = performance.now() + patience.total;
  for (const id of asked) {
    while (performance.now() < until && (await isOpen(store, id))) await sleep(patience.pause);
  }
}

async function isOpen(store: Store, id: string): Promise<boolean> {
  const query = await store.read((executor) => findQuery(executor, id));
  return query?.completedAt === null;
}
