import { day, hour } from './time.ts';

/** The stretch of time that the page shows. */
export interface Scale {
  from: number;
  to: number;
}

export type Span = '7' | '30' | '90' | '365' | 'all';

/**
 * The stretch around a moment: a quarter of it before, the rest after, as what comes matters more.
 *
 * @param shift how many half stretches later; negative for earlier
 * @param bounds the first and last time of everything, for all of it
 */
export function scaleOf(span: Span, at: number, shift: number, bounds: Scale): Scale {
  if (span === 'all') {
    const from = Math.min(bounds.from, at - day);
    const to = Math.max(bounds.to, at + day);
    const margin = (to - from) * 0.03;
    return { from: from - margin, to: to + margin };
  }
  const length = Number(span) * day;
  const from = at - length / 4 + (shift * length) / 2;
  return { from, to: from + length };
}

/** The position of a time, in percent of the stretch; outside 0 to 100 if it is not in the stretch. */
export function place({ from, to }: Scale, time: number): number {
  return ((time - from) / (to - from)) * 100;
}

export interface Tick {
  /** In percent. */
  place: number;
  label: string;
}

/** Round times to mark, as many as fit. */
export function ticksOf(scale: Scale, most: number): Tick[] {
  const length = scale.to - scale.from;
  const step = steps.find(({ size }) => length / size <= most) ?? steps[steps.length - 1];
  if (step === undefined) return [];
  const ticks: Tick[] = [];
  for (let time = step.first(scale.from); time <= scale.to; time = step.next(time)) {
    if (time >= scale.from) ticks.push({ place: place(scale, time), label: step.label(time) });
  }
  return ticks;
}

interface Step {
  /** About how long. */
  size: number;
  /** The first round time at or before another. */
  first: (time: number) => number;
  next: (time: number) => number;
  label: (time: number) => string;
}

const utc = (options: Intl.DateTimeFormatOptions) => {
  const format = new Intl.DateTimeFormat('en-GB', { ...options, timeZone: 'UTC' });
  return (time: number) => format.format(time).replace('Sept', 'Sep');
};

const byClock = utc({ hour: '2-digit', minute: '2-digit' });
const byDay = utc({ day: 'numeric', month: 'short' });
const byMonth = utc({ month: 'short' });
const byYear = utc({ year: 'numeric' });

const steps: readonly Step[] = [
  ...[6, 12].map((hours) => even(hours * hour, (time) => (time % day === 0 ? byDay(time) : byClock(time)))),
  ...[1, 2].map((days) => even(days * day, byDay)),
  // The first of January 1970 was a Thursday; weeks begin on Mondays.
  ...[7, 14].map((days) => even(days * day, byDay, 4 * day)),
  ...[1, 2, 3, 6].map((months) => calendar(months)),
  ...[1, 2, 5, 10, 25, 100].map((years) => calendar(12 * years)),
];

function even(size: number, label: Step['label'], origin = 0): Step {
  return {
    size,
    first: (time) => Math.floor((time - origin) / size) * size + origin,
    next: (time) => time + size,
    label,
  };
}

function calendar(months: number): Step {
  const at = (month: number): number => Date.UTC(Math.floor(month / 12), month % 12);
  const monthOf = (time: number): number => {
    const date = new Date(time);
    return date.getUTCFullYear() * 12 + date.getUTCMonth();
  };
  return {
    size: months * 30.44 * day,
    first: (time) => at(Math.floor(monthOf(time) / months) * months),
    next: (time) => at(monthOf(time) + months),
    label: (time) => (months >= 12 || monthOf(time) % 12 === 0 ? byYear(time) : byMonth(time)),
  };
}
