import { readFileSync } from 'node:fs';

/** Processor time of a process since it started, in milliseconds, as Linux reports it. */
export function cpuOf(pid: number): number {
  // Fields 14 and 15 of its stat, in hundredths of a second, after its name in brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Resident memory of a process, in bytes, as Linux reports it. */
export function rssOf(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kib) * 1024;
}
