import type { Clock } from '../clock.ts';
import { startTicker, type Ticker } from '../queries/ticker.ts';
import { forgetKeys } from '../store/idempotency.ts';
import type { Store } from '../store/store.ts';
import { forgottenUntil } from './once.ts';

/** How often, in milliseconds: a key that is over counts no more in any case, this only frees its place. */
const pause = 60 * 60 * 1000;

/** Removes the keys that are over, and the answers that were kept for them, until it is stopped. */
export function startForgetting(store: Store, clock: Clock, onError: (error: unknown) => void): Ticker {
  return startTicker(pause, () => store.write([], (executor) => forgetKeys(executor, forgottenUntil(clock))), onError);
}
