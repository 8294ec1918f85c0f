import type { Executor } from './store/store.ts';

/**
 * The store's clock, which all processes share. Its difference from this process's monotonic clock is measured again whenever
 * the last measurement is too old, so a system clock that jumps and a machine that slept change nothing for long.
 */
export class StoreClock {
  readonly #maxAgeMs: number;
  #offset = 0;
  #measuredAt = -Infinity;

  /** @param maxAgeMs how old a measurement may be before `refresh` asks the store again, in milliseconds */
  constructor(maxAgeMs = 200) {
    this.#maxAgeMs = maxAgeMs;
  }

  /** The store's time, in milliseconds since 1970, as of the last measurement. */
  now(): number {
    return performance.now() + this.#offset;
  }

  /** Asks the store for its time, unless it did so a moment ago. */
  async refresh(executor: Executor): Promise<void> {
    if (performance.now() - this.#measuredAt > this.#maxAgeMs) await this.measure(executor);
  }

  /** The time it took to ask makes the clock late by as much, and so no end comes early. */
  async measure(executor: Executor): Promise<void> {
    const now = await executor.now();
    this.#measuredAt = performance.now();
    this.#offset = now.getTime() - this.#measuredAt;
  }
}
