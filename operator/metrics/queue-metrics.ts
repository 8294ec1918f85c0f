/** Measures queues as client-go does: how long keys wait, and how long they are worked on. */

import type { Counter, Histogram } from '@rolecall/api/metrics';
import type { Clock } from '../runtime/clock.ts';
import type { QueueObserver } from '../runtime/queue-observer.ts';

export interface QueueCounters {
  readonly adds: Counter;
  readonly retries: Counter;
  readonly waited: Histogram;
  readonly worked: Histogram;
}

export interface QueueMetrics {
  readonly observer: QueueObserver;
  /** Keys that wait now. */
  readonly depth: () => number;
  /** The time that keys in flight have been worked on, in seconds: all together, and the longest. */
  readonly unfinished: () => number;
  readonly longest: () => number;
}

/** Counts what happens to the keys of a queue. */
export function createQueueMetrics({ adds, retries, waited, worked }: QueueCounters, clock: Clock): QueueMetrics {
  const since = new Map<string, number>();
  const inFlight = new Map<string, number>();
  const secondsSince = (begun: number): number => (clock.elapsed() - begun) / 1000;
  return {
    observer: {
      added: (key) => {
        adds.add();
        since.set(key, clock.elapsed());
      },
      taken: (key) => {
        waited.observe(secondsSince(since.get(key) ?? clock.elapsed()));
        since.delete(key);
        inFlight.set(key, clock.elapsed());
      },
      done: (key) => {
        worked.observe(secondsSince(inFlight.get(key) ?? clock.elapsed()));
        inFlight.delete(key);
      },
      retried: () => {
        retries.add();
      },
    },
    depth: () => since.size,
    unfinished: () => [...inFlight.values()].reduce((sum, begun) => sum + secondsSince(begun), 0),
    longest: () => Math.max(0, ...[...inFlight.values()].map(secondsSince)),
  };
}
