/**
 * A queue of keys that are to be worked on. What it promises, after client-go's util/workqueue:
 * - a key waits at most once, however often it is added;
 * - a key is in the hands of one worker at a time: added meanwhile, it waits again once that one is done;
 * - fresh work goes before periodic work;
 * - a key that failed comes back after a time that grows with its own failures.
 */

import { type BackoffOptions, backoff } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { QueueObserver } from './queue-observer.ts';

/** Periodic work looks whether something is still as it was; nobody waits for it. */
export type Priority = 'fresh' | 'periodic';

export interface WorkQueue {
  readonly add: (key: string, priority?: Priority) => void;
  /** Adds a key later; of several such calls for one key, the earliest counts. */
  readonly addAfter: (key: string, ms: number, priority?: Priority) => void;
  /**
   * Adds a key again after its back-off.
   *
   * @param atLeastMs how long to wait at least, because a server asked for it
   * @returns the wait in milliseconds
   */
  readonly retry: (key: string, atLeastMs?: number) => number;
  /** Forgets the failures of a key, and that it was to be tried again. */
  readonly forget: (key: string) => void;
  /** The next key, as soon as there is one; undefined once the queue is closed. Whoever takes it calls `done`. */
  readonly next: () => Promise<string | undefined>;
  /** Up to so many of the keys that wait now, without waiting for any: of the periodic ones only where no fresh one is left. */
  readonly take: (most: number) => string[];
  /**
   * Takes one key, whether or not it waits, because the work at hand needs it too.
   *
   * @returns false where it is in somebody's hands
   */
  readonly claim: (key: string) => boolean;
  readonly done: (key: string) => void;
  /** Whether a key waits now. */
  readonly has: (key: string) => boolean;
  /** The keys that wait now. */
  readonly waiting: () => Iterable<string>;
  /** Keys that wait now, not counting those that come later. */
  readonly length: () => number;
  /** Lets nothing more out, whatever waits. */
  readonly close: () => void;
}

export interface WorkQueueOptions extends BackoffOptions {
  readonly clock: Clock;
  readonly observer?: QueueObserver | undefined;
}

interface Later {
  readonly timer: Disposable;
  readonly due: number;
}

export function createWorkQueue({ clock, observer, ...backoffOptions }: WorkQueueOptions): WorkQueue {
  // Sets keep the order in which keys came, and find one in no time.
  const waiting: Readonly<Record<Priority, Set<string>>> = { fresh: new Set(), periodic: new Set() };
  const inHand = new Set<string>();
  const again = new Map<string, Priority>();
  const later = new Map<string, Later>();
  const retries = new Map<string, Later>();
  const failures = new Map<string, number>();
  const idle: ((key: string | undefined) => void)[] = [];
  let closed = false;

  function add(key: string, priority: Priority = 'fresh'): void {
    if (closed) return;
    if (inHand.has(key)) {
      if (again.get(key) !== 'fresh') again.set(key, priority);
      return;
    }
    if (waiting.fresh.has(key)) return;
    if (!waiting.periodic.has(key)) observer?.added(key);
    if (priority === 'periodic') waiting.periodic.add(key);
    else {
      waiting.periodic.delete(key);
      waiting.fresh.add(key);
    }
    wake();
  }

  function wake(): void {
    const worker = idle.shift();
    if (worker !== undefined) worker(take());
  }

  function take(): string | undefined {
    const lane = waiting.fresh.size > 0 ? waiting.fresh : waiting.periodic;
    const [key] = lane;
    if (key === undefined) return undefined;
    lane.delete(key);
    inHand.add(key);
    observer?.taken(key);
    return key;
  }

  function cancel(timers: Map<string, Later>, key: string): void {
    timers.get(key)?.timer[Symbol.dispose]();
    timers.delete(key);
  }

  function addIn(timers: Map<string, Later>, key: string, ms: number, priority: Priority): void {
    if (closed) return;
    const due = clock.elapsed() + ms;
    const before = timers.get(key);
    if (before !== undefined && before.due <= due) return;
    cancel(timers, key);
    const timer = clock.after(ms, () => {
      timers.delete(key);
      add(key, priority);
    });
    timers.set(key, { timer, due });
  }

  return {
    add,
    addAfter: (key, ms, priority = 'fresh') => {
      addIn(later, key, ms, priority);
    },
    retry(key, atLeastMs = 0) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      observer?.retried(key);
      const wait = Math.max(atLeastMs, backoff(count, backoffOptions));
      cancel(retries, key);
      addIn(retries, key, wait, 'fresh');
      return wait;
    },
    forget: (key) => {
      failures.delete(key);
      cancel(retries, key);
    },
    next() {
      if (closed) return Promise.resolve(undefined);
      const key = take();
      return key === undefined ? new Promise((resolve) => idle.push(resolve)) : Promise.resolve(key);
    },
    take(most) {
      const keys: string[] = [];
      const lane = waiting.fresh.size > 0 ? waiting.fresh : waiting.periodic;
      while (keys.length < most && lane.size > 0) keys.push(take() ?? '');
      return keys;
    },
    claim(key) {
      if (closed || inHand.has(key)) return false;
      waiting.fresh.delete(key);
      waiting.periodic.delete(key);
      inHand.add(key);
      observer?.taken(key);
      return true;
    },
    has: (key) => waiting.fresh.has(key) || waiting.periodic.has(key),
    waiting: () => [...waiting.fresh, ...waiting.periodic],
    done(key) {
      inHand.delete(key);
      observer?.done(key);
      const priority = again.get(key);
      again.delete(key);
      if (priority !== undefined) add(key, priority);
    },
    length: () => waiting.fresh.size + waiting.periodic.size,
    close() {
      closed = true;
      for (const timers of [later, retries]) for (const key of [...timers.keys()]) cancel(timers, key);
      for (const lane of Object.values(waiting)) lane.clear();
      for (const resolve of idle.splice(0)) resolve(undefined);
    },
  };
}
