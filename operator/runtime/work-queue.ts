import { type BackoffOptions, backoff } from './backoff.ts';
import type { Clock } from './clock.ts';
import type { QueueObserver } from './queue-observer.ts';

export interface WorkQueueOptions extends BackoffOptions {
  readonly clock: Clock;
  readonly observer?: QueueObserver | undefined;
  /** Closes the queue once it is aborted. */
  readonly signal?: AbortSignal;
}

interface Later {
  readonly timer: Disposable;
  readonly due: number;
}

/**
 * A queue of keys to work on. Its guarantees, after client-go's util/workqueue:
 * - a key waits at most once, however often it is added;
 * - one worker at a time has a key: a key that is added meanwhile waits again once that worker is done;
 * - a failed key comes back after a delay that grows with its own failures.
 */
export class WorkQueue {
  readonly #clock: Clock;
  readonly #observer: QueueObserver | undefined;
  readonly #backoff: BackoffOptions;
  // A set keeps the order in which keys came.
  readonly #waiting = new Set<string>();
  readonly #inFlight = new Set<string>();
  /** Keys that were added while a worker was processing them. */
  readonly #again = new Set<string>();
  readonly #later = new Map<string, Later>();
  readonly #retries = new Map<string, Later>();
  readonly #failures = new Map<string, number>();
  /** Workers that wait for a key. */
  readonly #idle: ((key: string | undefined) => void)[] = [];
  #closed = false;

  constructor({ clock, observer, signal, ...backoffOptions }: WorkQueueOptions) {
    this.#clock = clock;
    this.#observer = observer;
    this.#backoff = backoffOptions;
    const close = (): void => {
      this.close();
    };
    if (signal?.aborted === true) close();
    else signal?.addEventListener('abort', close, { once: true });
  }

  add(key: string): void {
    if (this.#closed || this.#waiting.has(key)) return;
    if (this.#inFlight.has(key)) {
      this.#again.add(key);
      return;
    }
    this.#observer?.added(key);
    this.#waiting.add(key);
    const worker = this.#idle.shift();
    if (worker !== undefined) worker(this.#take());
  }

  /** Adds a key later; of several such calls for one key, the earliest counts. */
  addAfter(key: string, ms: number): void {
    this.#addIn(this.#later, key, ms);
  }

  /**
   * Adds a key again after its back-off.
   *
   * @param atLeastMs the shortest wait, because a server asked for it
   * @returns the wait in milliseconds
   */
  retry(key: string, atLeastMs = 0): number {
    const count = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, count);
    this.#observer?.retried(key);
    const wait = Math.max(atLeastMs, backoff(count, this.#backoff));
    cancel(this.#retries, key);
    this.#addIn(this.#retries, key, wait);
    return wait;
  }

  /** Forgets the failures of a key, and its pending retry. */
  forget(key: string): void {
    this.#failures.delete(key);
    cancel(this.#retries, key);
  }

  /** The next key, as soon as one is ready; undefined once the queue is closed. The worker that takes it calls `done`. */
  next(): Promise<string | undefined> {
    if (this.#closed) return Promise.resolve(undefined);
    const key = this.#take();
    return key === undefined ? new Promise((resolve) => this.#idle.push(resolve)) : Promise.resolve(key);
  }

  /** All keys that wait now. The worker that takes them calls `done` for each. */
  takeAll(): string[] {
    const keys = [...this.#waiting];
    this.#waiting.clear();
    for (const key of keys) this.#begin(key);
    return keys;
  }

  done(key: string): void {
    this.#inFlight.delete(key);
    this.#observer?.done(key);
    if (this.#again.delete(key)) this.add(key);
  }

  /** True if a key waits now, or a worker has it. */
  isBusy(key: string): boolean {
    return this.#waiting.has(key) || this.#inFlight.has(key);
  }

  /** True if a key waits for its back-off after a failure. */
  isBackingOff(key: string): boolean {
    return this.#retries.has(key);
  }

  /** Counts the keys that wait now, without those that come later. */
  length(): number {
    return this.#waiting.size;
  }

  /** Hands out no more keys, even if some wait. */
  close(): void {
    this.#closed = true;
    for (const timers of [this.#later, this.#retries]) for (const key of [...timers.keys()]) cancel(timers, key);
    this.#waiting.clear();
    for (const resolve of this.#idle.splice(0)) resolve(undefined);
  }

  #take(): string | undefined {
    const [key] = this.#waiting;
    if (key === undefined) return undefined;
    this.#waiting.delete(key);
    this.#begin(key);
    return key;
  }

  #begin(key: string): void {
    this.#inFlight.add(key);
    this.#observer?.taken(key);
  }

  #addIn(timers: Map<string, Later>, key: string, ms: number): void {
    if (this.#closed) return;
    const due = this.#clock.elapsed() + ms;
    const entry = timers.get(key);
    if (entry !== undefined && entry.due <= due) return;
    cancel(timers, key);
    const timer = this.#clock.after(ms, () => {
      timers.delete(key);
      this.add(key);
    });
    timers.set(key, { timer, due });
  }
}

function cancel(timers: Map<string, Later>, key: string): void {
  timers.get(key)?.timer[Symbol.dispose]();
  timers.delete(key);
}
