import { tooManyRequests } from '../http/limits/rate-limits.ts';
import { Slots, shareOf } from '../slots.ts';

/** Snapshots that are read at a time; half of them by one key. Each is a transaction, and a part of one thread. */
export const slotLimits = { all: 4, waiting: 64, waitMs: 5000 };

/** Lets a limited number of snapshots be read. Others wait their turn for a while; of the places to wait, a key has half. */
export class SnapshotSlots {
  readonly #limits: typeof slotLimits;
  readonly #slots: Slots;

  constructor(limits = slotLimits) {
    this.#limits = limits;
    this.#slots = new Slots(limits.all);
  }

  /**
   * @returns to be called when the snapshot is over
   * @throws Refusal too_many_requests
   */
  async take(key: string): Promise<() => void> {
    if (!this.#slots.tryTake(key)) await this.#wait(key);
    let isTaken = true;
    return () => {
      if (isTaken) this.#slots.release(key);
      isTaken = false;
    };
  }

  async #wait(key: string): Promise<void> {
    const busy = () => tooManyRequests('too many snapshots are read at the moment', 1);
    const { waiting, waitMs } = this.#limits;
    if (this.#slots.counts().waiting >= waiting || this.#slots.waitingOf(key) >= shareOf(waiting)) throw busy();
    const late = new AbortController();
    const timer = setTimeout(() => {
      late.abort(busy());
    }, waitMs);
    try {
      await this.#slots.take(key, late.signal);
    } finally {
      clearTimeout(timer);
    }
  }
}
