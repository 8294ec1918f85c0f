import type { Executor } from './store/store.ts';

/** Milliseconds of waiting for the store's time after which it is asked again. */
const longestWaitMs = 5;

/**
 * The store's clock, which all processes share. Its difference from this process's monotonic clock is measured again whenever
 * the last measurement is too old, so a system clock that jumps and a machine that slept change nothing for long.
 */
export class StoreClock {
  #offset = 0;
  #measuredAt = -Infinity;

  /** The store's time, in milliseconds since 1970, as of the last measurement. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** Asks the store for its time, unless the last measurement is at most this old, in milliseconds. */
  async refresh(executor: Executor, maxAgeMs = 200): Promise<void> {
    if (performance.now() - this.#measuredAt > maxAgeMs) await this.measure(executor);
  }

  /**
   * The time it took to ask makes the clock late by as much, and so no end comes early. After a long wait it asks again: by a clock
   * that is late, access that was just granted has not begun.
   */
  async measure(executor: Executor): Promise<void> {
    let offset = -Infinity;
    for (let asked = 0, waited = Infinity; asked < 3 && waited > longestWaitMs; asked += 1) {
      const start = performance.now();
      const now = await executor.now();
      this.#measuredAt = performance.now();
      waited = this.#measuredAt - start;
      // Each is too small by what it waited, so the largest is the closest.
      offset = Math.max(offset, now.getTime() - this.#measuredAt);
    }
    this.#offset = offset;
  }
}
