import type { Prepared } from './crash.ts';
import type { Fault } from './fault-proxy.ts';

/**
 * Lets each call go wrong in each way, one at a time.
 *
 * @returns how many cases that were
 * @throws Error that names the call and the fault
 */
export async function surviveAll(prepared: Prepared, faults: readonly Fault[], concurrency = 1): Promise<number> {
  for (let after = 0; after < prepared.calls; after += 1) {
    for (const kind of faults) {
      await prepared.survive({ kind, after }, concurrency).catch((error: unknown) => {
        // What the cause tells stands in the message, since a property shows no more of an error.
        throw new Error(`${kind}, call ${after + 1} of ${prepared.calls}: ${String(error)}`, { cause: error });
      });
    }
  }
  return prepared.calls * faults.length;
}
