/** Durations in definitions: `8h`, `1h30m`, `7d`, or whole seconds. */

import { maxDurationSeconds } from '@rolecall/api';

/** A number without a unit must stand alone: the 30 in `1h30` would be seconds, but its author means minutes. */
export const durationPattern =
  /^(?:(\d{1,10})|(?:(\d{1,10})w)?(?:(\d{1,10})d)?(?:(\d{1,10})h)?(?:(\d{1,10})m)?(?:(\d{1,10})s)?)$/;

/** Seconds per unit, in the order of the pattern's groups. */
const unitSeconds = [1, 604_800, 86_400, 3_600, 60, 1];

export class DurationError extends Error {
  override name = 'DurationError';
  readonly code = 'ERR_DURATION';
  readonly remedy = 'Write it as 8h, 90m, 1h30m, 7d, 2w or in whole seconds, from 1 to 3153600000 seconds.';
}

/**
 * Reads a duration.
 *
 * @param value `1h30m` (weeks, days, hours, minutes and seconds in this order, each at most once), or whole seconds
 * @returns seconds, 1 to 3,153,600,000
 * @throws DurationError if it is malformed or out of range
 */
export function parseDuration(value: string | number): number {
  const seconds = typeof value === 'number' ? value : sumOfUnits(value);
  if (!Number.isInteger(seconds)) throw new DurationError('is not a whole number of seconds');
  if (seconds < 1) throw new DurationError('is shorter than one second');
  if (seconds > maxDurationSeconds) throw new DurationError('is longer than 3,153,600,000 seconds');
  return seconds;
}

/** True if a window is longer than the service grants. */
export function isTooLong(startsAt: string, expiresAt: string): boolean {
  return Date.parse(expiresAt) - Date.parse(startsAt) > maxDurationSeconds * 1000;
}

function sumOfUnits(text: string): number {
  const match = durationPattern.exec(text);
  if (match === null || text === '') throw new DurationError('is not a duration');
  return unitSeconds.reduce((sum, unit, index) => sum + unit * Number(match[index + 1] ?? 0), 0);
}
