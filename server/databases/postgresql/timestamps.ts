import { writeDate, writeTimestamp } from '../rows/calendar.ts';
import { writePlain } from '../rows/json-text.ts';

/** PostgreSQL counts from 2000-01-01. */
const epochDays = 10_957;
const millisecondsADay = 86_400_000;
const [highest, lowest] = [0x7fff_ffff, -0x8000_0000];
/** Below this high word a count of microseconds is exact as a number, and so is its thousandth rounded down. */
const exactHigh = 1 << 19;

/** A date in binary: days; the ends of the range stand for infinity. */
export function writeBinaryDate(target: Buffer, at: number, bytes: Buffer, start: number, end: number): number {
  if (end - start !== 4) throw new Error('the server sent an invalid date');
  const days = bytes.readInt32BE(start);
  if (days === highest) return writePlain(target, at, 'infinity');
  if (days === lowest) return writePlain(target, at, '-infinity');
  return writeDate(target, at, days + epochDays);
}

/**
 * A timestamp in binary: microseconds. Anything finer than a millisecond is cut off, never rounded, so that order is kept and
 * no value becomes later.
 */
export function writeBinaryTimestamp(
  target: Buffer,
  at: number,
  bytes: Buffer,
  start: number,
  end: number,
  instant: boolean,
): number {
  if (end - start !== 8) throw new Error('the server sent an invalid timestamp');
  const high = bytes.readInt32BE(start);
  const low = bytes.readUInt32BE(start + 4);
  if (high === highest && low === 0xffff_ffff) return writePlain(target, at, 'infinity');
  if (high === lowest && low === 0) return writePlain(target, at, '-infinity');
  if (high >= exactHigh || high < -exactHigh) return writeWide(target, at, bytes.readBigInt64BE(start), instant);
  const milliseconds = Math.floor((high * 0x1_0000_0000 + low) / 1000);
  const days = Math.floor(milliseconds / millisecondsADay);
  return writeTimestamp(target, at, days + epochDays, milliseconds - days * millisecondsADay, instant);
}

/** Before 1929 and after 2071, where numbers may not hold every microsecond. */
function writeWide(target: Buffer, at: number, microseconds: bigint, instant: boolean): number {
  const aDay = BigInt(millisecondsADay) * 1000n;
  const rest = ((microseconds % aDay) + aDay) % aDay;
  const days = Number((microseconds - rest) / aDay);
  return writeTimestamp(target, at, days + epochDays, Number(rest / 1000n), instant);
}
