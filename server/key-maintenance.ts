import type { Clock } from './clock.ts';
import { startTicker, type Ticker } from './queries/ticker.ts';
import { deleteExchangedKeys, selectKeys } from './store/api-key.ts';
import type { Store } from './store/store.ts';

/** Milliseconds between two checks. */
const pause = 60 * 60 * 1000;
/** Milliseconds before a key expires at which the log warns, and after which it warns again. */
const warnedBefore = 14 * 24 * 60 * 60 * 1000;
const warnedAgainAfter = 24 * 60 * 60 * 1000;
/** Keys that a warning names, at most. */
const mostNamed = 20;

export interface KeyMaintenanceParts {
  readonly store: Store;
  readonly clock: Clock;
  readonly warn: (details: object, message: string) => void;
  readonly onError: (error: unknown) => void;
}

/** Until it is stopped, warns once a day of keys that expire soon, and removes expired keys that tokens were exchanged for. */
export function startKeyMaintenance({ store, clock, warn, onError }: KeyMaintenanceParts): Ticker {
  let warnedAt = -Infinity;

  async function turn(): Promise<void> {
    const now = clock().getTime();
    const at = new Date(now).toISOString();
    const keys = await store.read((executor) => selectKeys(executor));
    if (keys.some(({ tokenExpiresAt, expiresAt }) => isOver(tokenExpiresAt, at) && isOver(expiresAt, at))) {
      await store.write([], (executor) => deleteExchangedKeys(executor, at));
    }
    if (now - warnedAt < warnedAgainAfter) return;
    warnedAt = now;
    const soon = new Date(now + warnedBefore).toISOString();
    const expiring = keys.filter(
      ({ tokenDigest, revokedAt, expiresAt }) =>
        tokenDigest === null && revokedAt === null && isOver(expiresAt, soon) && !isOver(expiresAt, at),
    );
    if (expiring.length === 0) return;
    const named = expiring.slice(0, mostNamed).map(({ id, name, expiresAt }) => ({ id, name, expiresAt }));
    warn({ count: expiring.length, keys: named }, 'API keys expire soon: make new ones with "rolecall keys create"');
  }

  const first = turn().catch(onError);
  const ticker = startTicker(pause, turn, onError);
  return {
    stop: async () => {
      await Promise.all([first, ticker.stop()]);
    },
  };
}

function isOver(end: string | null, at: string): boolean {
  return end !== null && end <= at;
}
