import type { LiveQuery } from './live-query.ts';

/** Milliseconds that a lease lasts by default. */
export const defaultLease = 20_000;

/**
 * The leases of this process's queries. The store records when they end by its own clock, for the other replicas. This
 * process uses a monotonic clock, so that it stops before another replica declares its queries abandoned.
 */
export class Leases {
  readonly live: ReadonlyMap<string, LiveQuery>;
  readonly #lasts: number;
  readonly #shared: boolean;
  readonly #ends = new WeakMap<LiveQuery, number>();
  #renewedAt = -Infinity;

  /**
   * @param lasts in milliseconds
   * @param shared whether other replicas look at the leases; without any, this process can never be too late
   */
  constructor(live: ReadonlyMap<string, LiveQuery>, lasts: number, shared: boolean) {
    this.live = live;
    this.#lasts = lasts;
    this.#shared = shared;
  }

  /** Milliseconds after which leases are renewed: the store may be away for the rest of their time. */
  get renewEvery(): number {
    return this.#lasts / 4;
  }

  /** Milliseconds between two checks whether that is due. A renewal that failed is tried again as soon. */
  get checkEvery(): number {
    return this.#lasts / 40;
  }

  get areDue(): boolean {
    return this.live.size > 0 && performance.now() - this.#renewedAt >= this.renewEvery;
  }

  /** Returns the end of a lease taken now, by the store's clock. */
  endAfter(now: Date): string {
    return new Date(now.getTime() + this.#lasts).toISOString();
  }

  /**
   * Call this before you ask the store for its time, to take or renew a lease, and call its result once the store has it.
   *
   * @param newQuery the query; default: every query that the store has
   */
  begin(newQuery?: LiveQuery): () => void {
    const now = performance.now();
    const queries = newQuery === undefined ? [...this.live.values()].filter(({ stored }) => stored) : [newQuery];
    return () => {
      for (const query of queries) this.#ends.set(query, now + this.#lasts);
      if (newQuery === undefined) this.#renewedAt = now;
    };
  }

  /** @throws Error if the query's lease has expired */
  check(query: LiveQuery): void {
    const end = this.#ends.get(query);
    if (this.#shared && end !== undefined && performance.now() > end) {
      throw new Error('the lease of the query expired, because the store could not be reached for too long');
    }
  }
}
