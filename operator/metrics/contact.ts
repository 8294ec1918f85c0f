/** The time of the last contact with the API server, which is what the probes ask about. */

import type { Clock } from '../runtime/clock.ts';

export interface Contact {
  /** The API server gave a sign of life: an answer, or the echo of a ping. */
  readonly heard: () => void;
  /** The time since then, in milliseconds; since the start, where there was none. */
  readonly ageMs: () => number;
  /** Says how it is known that everything has been listed once, and of what that is not known yet. */
  readonly syncedWhen: (isSynced: () => boolean, missing: () => readonly string[]) => void;
  /** Why this process is not ready; undefined where it is. */
  readonly unready: () => string | undefined;
  /** Why this process should be started again; undefined where it need not be. */
  readonly unhealthy: () => string | undefined;
}

/** A connection is pinged every 12 s and given up after 24: by then an API server that is there has answered. */
const readyMs = 30_000;
/** By then a new process may fare better: another address, renewed credentials. Sooner, a short outage would restart all. */
const healthyMs = 5 * 60_000;

export function createContact(clock: Clock): Contact {
  let last = clock.elapsed();
  let wasHeard = false;
  let isSynced = (): boolean => false;
  let missing = (): readonly string[] => [];
  const ageMs = (): number => clock.elapsed() - last;
  const silence = (): string => `the API server has been silent for ${Math.round(ageMs() / 1000)} s`;
  return {
    heard: () => {
      wasHeard = true;
      last = clock.elapsed();
    },
    ageMs,
    syncedWhen: (tell, tellMissing) => {
      isSynced = tell;
      missing = tellMissing;
    },
    unready: () => {
      if (ageMs() > readyMs) return silence();
      if (!wasHeard) return 'the API server has not answered yet';
      if (isSynced()) return undefined;
      const names = missing().join(', ');
      return `not every kind has been listed yet${names === '' ? '' : `: ${names}`}`;
    },
    unhealthy: () => (ageMs() > healthyMs ? silence() : undefined),
  };
}
