/**
 * A queue of keys to work on. What it promises, after client-go's util/workqueue:
 * - a key waits at most once, however often it is added;
 * - one worker at a time has a key: a key that is added meanwhile waits again once that worker is done;
 * - a key that failed comes back after a time that grows with its own failures.
 */

import { type BackoffOptions, backoff } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { QueueObserver } from './queue-observer.ts';

export interface WorkQueue {
  readonly add: (key: string) => void;
  /** Adds a key later; of several such calls for one key, the earliest counts. */
  readonly addAfter: (key: string, ms: number) => void;
  /**
   * Adds a key again after its back-off.
   *
   * @param atLeastMs the shortest wait, because a server asked for it
   * @returns the wait in milliseconds
   */
  readonly retry: (key: string, atLeastMs?: number) => number;
  /** Forgets the failures of a key, and that it was to be tried again. */
  readonly forget: (key: string) => void;
  /** The next key, as soon as there is one; undefined once the queue is closed. The worker that takes it calls `done`. */
  readonly next: () => Promise<string | undefined>;
  /** All keys that wait now. The worker that takes them calls `done` for each. */
  readonly takeAll: () => string[];
  readonly done: (key: string) => void;
  /** Whether a key waits now, or a worker has it. */
  readonly isBusy: (key: string) => boolean;
  /** Whether a key waits for its back-off after a failure. */
  readonly isBackingOff: (key: string) => boolean;
  /** The keys that wait now. */
  readonly waiting: () => Iterable<string>;
  /** How many keys wait now, without those that come later. */
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
  // A set keeps the order in which keys came.
  const waiting = new Set<string>();
  const inFlight = new Set<string>();
  /** Keys that were added while a worker had them. */
  const again = new Set<string>();
  const later = new Map<string, Later>();
  const retries = new Map<string, Later>();
  const failures = new Map<string, number>();
  const idle: ((key: string | undefined) => void)[] = [];
  let closed = false;

  function add(key: string): void {
    if (closed || waiting.has(key)) return;
    if (inFlight.has(key)) {
      again.add(key);
      return;
    }
    observer?.added(key);
    waiting.add(key);
    const worker = idle.shift();
    if (worker !== undefined) worker(take());
  }

  function take(): string | undefined {
    const [key] = waiting;
    if (key === undefined) return undefined;
    waiting.delete(key);
    inFlight.add(key);
    observer?.taken(key);
    return key;
  }

  function cancel(timers: Map<string, Later>, key: string): void {
    timers.get(key)?.timer[Symbol.dispose]();
    timers.delete(key);
  }

  function addIn(timers: Map<string, Later>, key: string, ms: number): void {
    if (closed) return;
    const due = clock.elapsed() + ms;
    const before = timers.get(key);
    if (before !== undefined && before.due <= due) return;
    cancel(timers, key);
    const timer = clock.after(ms, () => {
      timers.delete(key);
      add(key);
    });
    timers.set(key, { timer, due });
  }

  return {
    add,
    addAfter: (key, ms) => {
      addIn(later, key, ms);
    },
    retry(key, atLeastMs = 0) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      observer?.retried(key);
      const wait = Math.max(atLeastMs, backoff(count, backoffOptions));
      cancel(retries, key);
      addIn(retries, key, wait);
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
    takeAll() {
      const keys = [...waiting];
      for (const _key of keys) take();
      return keys;
    },
    done(key) {
      inFlight.delete(key);
      observer?.done(key);
      if (again.delete(key)) add(key);
    },
    isBusy: (key) => waiting.has(key) || inFlight.has(key),
    isBackingOff: (key) => retries.has(key),
    waiting: () => waiting,
    length: () => waiting.size,
    close() {
      closed = true;
      for (const timers of [later, retries]) for (const key of [...timers.keys()]) cancel(timers, key);
      waiting.clear();
      for (const resolve of idle.splice(0)) resolve(undefined);
    },
  };
}
