/** What client-go tells of its queues: how long keys wait, and how long they are worked on. */

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
  /** Keys that are being worked on. */
  readonly active: () => number;
  /** How long they have been, in seconds: all together, and the longest. */
  readonly unfinished: () => number;
  readonly longest: () => number;
}

/** Follows a queue by what its observer is told. */
export function createQueueMetrics({ adds, retries, waited, worked }: QueueCounters, clock: Clock): QueueMetrics {
  const since = new Map<string, number>();
  const inHand = new Map<string, number>();
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
        inHand.set(key, clock.elapsed());
      },
      done: (key) => {
        worked.observe(secondsSince(inHand.get(key) ?? clock.elapsed()));
        inHand.delete(key);
      },
      retried: () => {
        retries.add();
      },
    },
    depth: () => since.size,
    active: () => inHand.size,
    unfinished: () => [...inHand.values()].reduce((sum, begun) => sum + secondsSince(begun), 0),
    longest: () => Math.max(0, ...[...inHand.values()].map(secondsSince)),
  };
}
