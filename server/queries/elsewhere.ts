import { setTimeout as sleep } from 'node:timers/promises';
import { findQuery, requestStop } from '../store/query.ts';
import type { Store } from '../store/store.ts';

/** How long to wait until a query at another replica has stopped, and between two looks, in milliseconds. */
const patience = { total: 10_000, pause: 50 };

/**
 * Stops a query that another replica runs: asks it through the store, and waits until it is complete. A replica that has
 * died never answers; its query completes when the lease runs out, and nobody waits that long.
 */
export async function stopElsewhere(store: Store, id: string, reason: string): Promise<void> {
  if (store.replicas === undefined) return;
  if (!(await store.write([], (executor) => requestStop(executor, id, reason)))) return;
  store.replicas.wake();
  const until = performance.now() + patience.total;
  while (performance.now() < until) {
    const query = await store.read((executor) => findQuery(executor, id));
    if (query === undefined || query.completedAt !== null) return;
    await sleep(patience.pause);
  }
}
