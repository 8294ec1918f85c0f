/** A declared window: ISO 8601, UTC, milliseconds; without a start it begins whenever it is granted. */
export interface Window {
  startsAt?: string;
  expiresAt: string;
}

/** True if a permission has a declared window. Without a declared start, one that has begun and ends with it has. */
export function isWindowOf({ startsAt, expiresAt }: Window & { startsAt: string }, window: Window, now: Date): boolean {
  if (expiresAt !== window.expiresAt) return false;
  if (window.startsAt !== undefined) return startsAt === window.startsAt;
  // A second of grace: the service's clock may be behind the one that aligned the start.
  return Date.parse(startsAt) <= now.getTime() + 1000;
}

/** True if a declared window has ended. */
export function isOver({ expiresAt }: Window, now: Date): boolean {
  return Date.parse(expiresAt) <= now.getTime();
}

/** A time as people read it: without the seconds and milliseconds that are zero. */
export function shortTime(time: string): string {
  return time.replace(/(:00)?\.000Z$/, 'Z');
}
