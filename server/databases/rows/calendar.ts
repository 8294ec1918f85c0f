/** Writes days and times of the proleptic Gregorian calendar as ISO 8601. */

const quote = 0x22;
const zero = 0x30;
const dash = 0x2d;
const colon = 0x3a;

/** The most bytes that `writeDate` and `writeTimestamp` write, with quotes. */
export const longestTimestamp = 40;

/**
 * Writes `"YYYY-MM-DD"`. A year before 0 or after 9999 has a sign and at least six digits, as in ECMAScript and the
 * expanded form of ISO 8601: 44 BC is -000043.
 *
 * @param days since 1970-01-01
 */
export function writeDate(target: Uint8Array, at: number, days: number): number {
  target[at] = quote;
  const end = writeDay(target, at + 1, days);
  target[end] = quote;
  return end + 1;
}

/**
 * Writes `"YYYY-MM-DDTHH:MM:SS.FFF"`, with a Z if it is an instant.
 *
 * @param days since 1970-01-01
 * @param milliseconds since that day began
 */
export function writeTimestamp(
  target: Uint8Array,
  at: number,
  days: number,
  milliseconds: number,
  instant: boolean,
): number {
  target[at] = quote;
  let to = writeDay(target, at + 1, days);
  target[to++] = 0x54;
  const seconds = Math.floor(milliseconds / 1000);
  const minutes = Math.floor(seconds / 60);
  const hours = Math.floor(minutes / 60);
  to = writeDigits(target, to, hours, 2);
  target[to++] = colon;
  to = writeDigits(target, to, minutes - hours * 60, 2);
  target[to++] = colon;
  to = writeDigits(target, to, seconds - minutes * 60, 2);
  target[to++] = 0x2e;
  to = writeDigits(target, to, milliseconds - seconds * 1000, 3);
  if (instant) target[to++] = 0x5a;
  target[to++] = quote;
  return to;
}

/** Days to year, month and day after Howard Hinnant's chrono-compatible algorithms (civil_from_days). */
function writeDay(target: Uint8Array, at: number, days: number): number {
  const shifted = days + 719_468;
  const era = Math.floor(shifted / 146_097);
  const dayOfEra = shifted - era * 146_097;
  const yearOfEra = Math.floor(
    (dayOfEra - Math.floor(dayOfEra / 1460) + Math.floor(dayOfEra / 36_524) - Math.floor(dayOfEra / 146_096)) / 365,
  );
  const dayOfYear = dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100));
  const shiftedMonth = Math.floor((5 * dayOfYear + 2) / 153);
  const day = dayOfYear - Math.floor((153 * shiftedMonth + 2) / 5) + 1;
  const month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9;
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0);
  let to = writeYear(target, at, year);
  target[to++] = dash;
  to = writeDigits(target, to, month, 2);
  target[to++] = dash;
  return writeDigits(target, to, day, 2);
}

function writeYear(target: Uint8Array, at: number, year: number): number {
  if (year >= 0 && year <= 9999) return writeDigits(target, at, year, 4);
  target[at] = year < 0 ? dash : 0x2b;
  const size = Math.abs(year);
  return writeDigits(target, at + 1, size, size > 999_999 ? 7 : 6);
}

function writeDigits(target: Uint8Array, at: number, value: number, count: number): number {
  let rest = value;
  for (let index = at + count - 1; index >= at; index -= 1) {
    const tenth = Math.floor(rest / 10);
    target[index] = zero + rest - tenth * 10;
    rest = tenth;
  }
  return at + count;
}
