import type { MyQuery, QueryResult } from '@rolecall/api';

const format = new Intl.NumberFormat('en');

/** A number as people read it: 1,000,000. */
export function count(number: number): string {
  return format.format(number);
}

/** A number of things: "1 row", "2 rows". */
export function counted(number: number, thing: string): string {
  return `${count(number)} ${thing}${number === 1 ? '' : 's'}`;
}

/** True if a query ended with this result because it was stopped, by a person or with the access, and not because it failed. */
export function isStopped(result: QueryResult | undefined, query: Pick<MyQuery, 'stopReason'> | undefined): boolean {
  return result?.type === 'error' && result.detail.error === query?.stopReason;
}

/** A result in a few words. */
export function summary(result: QueryResult, query?: Pick<MyQuery, 'stopReason'>): string {
  if (result.type === 'error') return isStopped(result, query) ? 'stopped' : 'error';
  if (result.type === 'query') return counted(result.detail.numRows, 'row') + (result.detail.hasMore ? '…' : '');
  const { updateCount } = result.detail;
  return updateCount === null ? 'done' : `${counted(updateCount, 'row')} changed`;
}

/** A duration as people read it: "312 ms", "4.1 s", "2 min 05 s". */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  if (milliseconds < 60_000) return `${(milliseconds / 1000).toFixed(1)} s`;
  const seconds = Math.floor(milliseconds / 1000);
  return `${Math.floor(seconds / 60)} min ${String(seconds % 60).padStart(2, '0')} s`;
}
