import type { LiveQuery } from './live-query.ts';

/** How long a lease lasts unless the service is told otherwise, in milliseconds. */
export const defaultLease = 20_000;

/**
 * The leases of the queries of this process. The store has when they end by its own clock, for the other replicas; this
 * process goes by a clock that nobody sets, so that it stops before they take its queries for abandoned.
 */
export interface Leases {
  readonly live: ReadonlyMap<string, LiveQuery>;
  /** How often they are renewed, in milliseconds: a few renewals may be late. */
  readonly renewEvery: number;
  /** When a lease ends that is taken now, by the store's clock. */
  readonly endAfter: (now: Date) => string;
  /** Call before a lease is taken or renewed in the store, and what it gives once the store has it. */
  readonly begin: (one?: LiveQuery) => () => void;
  /** @throws Error where the lease of a query has run out */
  readonly check: (one: LiveQuery) => void;
}

/**
 * @param lasts in milliseconds
 * @param shared whether other replicas look at the leases: where there are none, this process can never be too late
 */
export function createLeases(live: ReadonlyMap<string, LiveQuery>, lasts: number, shared: boolean): Leases {
  const ends = new WeakMap<LiveQuery, number>();
  return {
    live,
    renewEvery: lasts / 4,
    endAfter: (now) => new Date(now.getTime() + lasts).toISOString(),
    begin: (one) => {
      // From before the request, as nobody knows when in its course the store has done it.
      const end = performance.now() + lasts;
      const queries = one === undefined ? [...live.values()].filter((query) => query.stored) : [one];
      return () => {
        for (const query of queries) ends.set(query, end);
      };
    },
    check: (one) => {
      const end = ends.get(one);
      if (shared && end !== undefined && performance.now() > end) {
        throw new Error('the store could not be reached for so long that the lease of the query ran out');
      }
    },
  };
}
