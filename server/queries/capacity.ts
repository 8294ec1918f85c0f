import { Refusal } from '../refusal.ts';
import { shareOf } from '../slots.ts';
import type { LiveQuery } from './live-query.ts';

/** Queries that may wait: their commands are in memory only. */
const mostWaiting = 256;

/** The memory that the commands of all queries may take, including those that run, in bytes. */
const mostBytes = 128 * 1024 * 1024;

/** A query that is refused before it begins. */
export function notBegun(code: 'unavailable' | 'too_many_requests', why: string): Refusal {
  return new Refusal(code, `${why}; the query was not begun`, { headers: { 'retry-after': '1' } });
}

/**
 * Makes sure that there is room for one more query, and that others keep their share of it.
 *
 * @param concurrency how many run at a time
 * @param bytes the memory that its commands take
 * @throws Refusal unavailable, too_many_requests
 */
export function requireCapacity(
  live: readonly LiveQuery[],
  { concurrency, asker, bytes }: { concurrency: number; asker: string; bytes: number },
): void {
  const [all, ofAsker] = [totalOf(live), totalOf(live.filter((query) => query.asker === asker))];
  const most = concurrency + mostWaiting;
  if (all.count >= most || all.bytes + bytes > mostBytes) {
    throw notBegun('unavailable', 'too many queries wait for a slot');
  }
  if (ofAsker.count >= shareOf(most) || ofAsker.bytes + bytes > shareOf(mostBytes)) {
    throw notBegun('too_many_requests', 'too many of your queries run or wait for a slot');
  }
}

function totalOf(queries: readonly LiveQuery[]): { count: number; bytes: number } {
  return { count: queries.length, bytes: queries.reduce((sum, { bytes }) => sum + bytes, 0) };
}
