/** Times as people read them, all in UTC. */

const minute = 60_000;
export const hour = 60 * minute;
export const day = 24 * hour;

const date = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric', timeZone: 'UTC' });
const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', timeZone: 'UTC' });

/** `21 Nov 2026`. */
export const showDate = (time: number): string => date.format(time).replace('Sept', 'Sep');

/** `21 Nov 2026, 17:00`. */
export const showTime = (time: number): string => `${showDate(time)}, ${clock.format(time)}`;

/** `21 Nov, 17:00`, for a time close enough to leave the year out. */
export const showClose = (time: number): string => showTime(time).replace(/ \d{4},/, ',');

/** `in 13 days`, `2 hours ago`, `now`. */
export function showDistance(time: number, from: number): string {
  const distance = Math.abs(time - from);
  const step = steps.find(({ least }) => distance >= least) ?? { size: minute, unit: 'minute' };
  const count = Math.round(distance / step.size);
  if (count === 0) return 'now';
  const words = `${count} ${step.unit}${count === 1 ? '' : 's'}`;
  return time > from ? `in ${words}` : `${words} ago`;
}

/** A unit is used from twice its size on, so that `in 36 hours` does not become `in 2 days`. */
const steps = [
  { least: 730 * day, size: 365.25 * day, unit: 'year' },
  { least: 60 * day, size: 30.44 * day, unit: 'month' },
  { least: 2 * day, size: day, unit: 'day' },
  { least: 2 * hour, size: hour, unit: 'hour' },
];
