import { signal } from '@preact/signals';

const [second, minute, hour, day] = [1000, 60_000, 3_600_000, 86_400_000] as const;

/** The service's time less this machine's, which may be wrong. */
let offset = 0;

/** The moment now by the service's clock, in milliseconds since 1970; it advances every second. */
export const now = signal(Date.now());

setInterval(() => {
  now.value = Date.now() + offset;
}, second);

/** Sets the clock by an answer of the service. */
export function setClock(readAt: string): void {
  offset = Date.parse(readAt) - Date.now();
  now.value = Date.now() + offset;
}

/** Tells the time left until a moment, such as "3 h 12 min"; to the second within the last hour. */
export function timeLeft(until: string, at: number): string {
  const left = Math.max(0, Date.parse(until) - at);
  if (left >= 2 * day) return `${Math.floor(left / day)} days`;
  if (left >= hour) return `${Math.floor(left / hour)} h ${Math.floor((left % hour) / minute)} min`;
  const seconds = Math.floor((left % minute) / second);
  if (left < minute) return `${seconds} s`;
  return `${Math.floor(left / minute)} min ${String(seconds).padStart(2, '0')} s`;
}

export function isWithinAnHour(until: string, at: number): boolean {
  return Date.parse(until) - at < hour;
}

const format = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });

/** A moment in the reader's own time zone. */
export function moment(iso: string): string {
  return format.format(new Date(iso));
}
