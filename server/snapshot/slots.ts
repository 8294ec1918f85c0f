import { add } from '../http/connections.ts';
import { tooManyRequests } from '../http/limits/rate-limits.ts';
import { shareOf } from '../queries/slots.ts';

/** How many snapshots are read at a time, and how many of them by one key. Each is a transaction, and a part of one thread. */
export const slotLimits = { all: 4, key: 2, waiting: 64, waitMs: 5000 };

/** Lets a limited number of snapshots be read, and a key have a share of them. Others wait their turn for a while; of the places to wait, a key has half. */
export class SnapshotSlots {
  readonly #limits: typeof slotLimits;
  readonly #taken = new Map<string, number>();
  readonly #waiting = new Set<{ readonly key: string; readonly begin: () => void }>();
  #count = 0;

  constructor(limits = slotLimits) {
    this.#limits = limits;
  }

  /**
   * @returns to be called when the snapshot is over
   * @throws Refusal too_many_requests
   */
  async take(key: string): Promise<() => void> {
    if (!this.#isFree(key)) await this.#wait(key);
    this.#count += 1;
    add(this.#taken, key, 1);
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      this.#count -= 1;
      add(this.#taken, key, -1);
      this.#next();
    };
  }

  #isFree(key: string): boolean {
    return this.#count < this.#limits.all && (this.#taken.get(key) ?? 0) < this.#limits.key;
  }

  async #wait(key: string): Promise<void> {
    const busy = () => tooManyRequests('too many snapshots are read at the moment', 1);
    const { waiting } = this.#limits;
    const own = [...this.#waiting].filter((one) => one.key === key).length;
    if (this.#waiting.size >= waiting || own >= shareOf(waiting)) throw busy();
    const { promise, resolve, reject } = Promise.withResolvers<unknown>();
    const waiter = {
      key,
      begin: () => {
        resolve(undefined);
      },
    };
    this.#waiting.add(waiter);
    const timer = setTimeout(() => {
      reject(busy());
    }, this.#limits.waitMs);
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#waiting.delete(waiter);
    }
    // Another request may have come in between the call and this turn.
    if (!this.#isFree(key)) throw busy();
  }

  #next(): void {
    for (const waiter of this.#waiting) {
      if (!this.#isFree(waiter.key)) continue;
      this.#waiting.delete(waiter);
      waiter.begin();
      return;
    }
  }
}
