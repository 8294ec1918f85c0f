import { selectRunning } from '../store/query.ts';
import type { Store } from '../store/store.ts';
import type { Leases } from './leases.ts';
import type { LiveQuery } from './live-query.ts';

/** How often a process looks whether its queries are to stop, in milliseconds, in case that the bell was not heard. */
export const watchEvery = 500;

/**
 * Stops what another replica was asked to cancel, what was deleted, and what has lost its lease.
 *
 * @param runner this process
 * @throws StoreUnavailableError
 */
export async function watchQueries(store: Store, leases: Leases, runner: string): Promise<void> {
  const stored = [...leases.live.values()].filter((one) => one.stored);
  if (stored.length === 0) return;
  for (const one of stored) abortExpired(one, leases);
  const running = await store.read((executor) => selectRunning(executor, runner));
  for (const { query, abort } of stored) {
    const reason = running.get(query.id);
    // One that is not there may just have completed: then there is nothing left to abort.
    if (reason === undefined) abort.abort(new Error('the query was deleted, or its lease ran out'));
    else if (reason !== null) abort.abort(new Error(reason));
  }
}

function abortExpired(one: LiveQuery, leases: Leases): void {
  try {
    leases.check(one);
  } catch (error) {
    one.abort.abort(error);
  }
}
