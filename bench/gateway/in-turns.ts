import { median, type Report } from '../report/report.ts';
import type { Door } from './doors.ts';

/** How long one measurement takes. ROLECALL_BENCH_SECONDS=1 makes a short run of it, to see that it works. */
export const seconds = Number(process.env['ROLECALL_BENCH_SECONDS'] ?? 2);
export const isShort = seconds < 2;
const rounds = isShort ? 1 : 3;

/** How many sessions are open for the memory that they take. */
export const idleSessions = isShort ? 100 : 1000;

export type Figures = Report['figures'];

/** What is measured of one protocol. */
export type Measured = Required<Omit<Report, 'name'>>;

/** Runs something through each door in turns, so that a machine that slows down slows all. @returns by door, the median of what it gives */
export async function inTurns<T extends Figures>(
  doors: readonly Door[],
  measure: (door: Door) => Promise<T>,
): Promise<(name: Door['name'], isTls: boolean) => T | undefined> {
  const seen = new Map<Door, T[]>();
  for (let turn = 0; turn < rounds; turn += 1) {
    for (const door of doors) seen.set(door, [...(seen.get(door) ?? []), await measure(door)]);
  }
  return (name, isTls) => {
    const [, all] = [...seen].find(([door]) => door.name === name && door.isTls === isTls) ?? [];
    const [first] = all ?? [];
    if (all === undefined || first === undefined) return undefined;
    return Object.fromEntries(
      Object.keys(first).map((key) => [key, median(all.map((one) => one[key] ?? Number.NaN))]),
    ) as T;
  };
}
