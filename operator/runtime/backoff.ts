/** The wait before something is tried again. */

export interface BackoffOptions {
  readonly baseMs: number;
  readonly maxMs: number;
  /** A number from 0 up to 1. */
  readonly random: () => number;
}

/**
 * The wait after a number of failures in a row: it doubles with each up to the limit, and a random half of it is taken
 * away, so that those who failed together do not come back together.
 *
 * @param failures from 1
 */
export function backoff(failures: number, { baseMs, maxMs, random }: BackoffOptions): number {
  const full = Math.min(maxMs, baseMs * 2 ** Math.min(failures - 1, 52));
  return full / 2 + (full / 2) * random();
}
