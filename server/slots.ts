import { add } from './counts.ts';

interface Waiting {
  readonly asker: string;
  readonly begin: () => void;
}

/** Returns the share of a resource that an API key or person may have. */
export function shareOf(total: number): number {
  return Math.ceil(total / 2);
}

/** Lets a limited number of queries, snapshots or downloads run. Others may wait, and get a slot in the order of their arrival. */
export class Slots {
  readonly #count: number;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Set<Waiting>();
  #running = 0;

  constructor(count: number) {
    this.#count = count;
  }

  /** Counts those that run, and those that wait. */
  counts(): { running: number; waiting: number } {
    return { running: this.#running, waiting: this.#waiting.size };
  }

  /** Counts the waiters of an asker. */
  waitingOf(asker: string): number {
    return [...this.#waiting].filter((entry) => entry.asker === asker).length;
  }

  /** Takes a slot without waiting. @returns whether there was one for this asker */
  tryTake(asker: string): boolean {
    if (!this.#mayBegin(asker)) return false;
    this.#begin(asker);
    return true;
  }

  /**
   * Waits for a slot.
   *
   * @param asker the API key or person of the query: none gets all slots, so that others are served whatever it runs
   * @throws the signal's reason if it aborts first
   */
  async take(asker: string, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    if (this.tryTake(asker)) return;
    const { promise, resolve, reject } = Promise.withResolvers<undefined>();
    const entry: Waiting = {
      asker,
      begin: () => {
        signal.removeEventListener('abort', giveUp);
        resolve(undefined);
      },
    };
    const giveUp = (): void => {
      this.#waiting.delete(entry);
      reject(signal.reason as Error);
    };
    this.#waiting.add(entry);
    signal.addEventListener('abort', giveUp, { once: true });
    await promise;
  }

  /** Frees a slot that was taken for this asker, and hands it to the next query that may run. */
  release(asker: string): void {
    this.#running -= 1;
    add(this.#taken, asker, -1);
    const next = [...this.#waiting].find((entry) => this.#mayBegin(entry.asker));
    if (next === undefined) return;
    this.#waiting.delete(next);
    this.#begin(next.asker);
    next.begin();
  }

  #mayBegin(asker: string): boolean {
    return this.#running < this.#count && (this.#taken.get(asker) ?? 0) < shareOf(this.#count);
  }

  #begin(asker: string): void {
    this.#running += 1;
    add(this.#taken, asker, 1);
  }
}
