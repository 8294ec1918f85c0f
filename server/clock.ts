/** Tells the time; a test brings its own. */
export type Clock = () => Date;

export const systemClock: Clock = () => new Date();

/**
 * The time of a change: now, but always later than the change before it. Otherwise a client that compares `updatedAt` would
 * see one change where there were two, in one millisecond or after the clock was set back.
 *
 * @param previous the timestamp of the change before
 */
export function laterThan(previous: string, clock: Clock): string {
  return new Date(Math.max(clock().getTime(), Date.parse(previous) + 1)).toISOString();
}
