import { readdirSync, readFileSync } from 'node:fs';

/** Processor time of a process since it started, in milliseconds, as Linux reports it. */
export function cpuOf(pid: number): number {
  // Fields 14 and 15 of its stat, in hundredths of a second, after its name in brackets.
  const fields = readFileSync(`/proc/${pid}/stat`, 'latin1').split(') ').at(-1)?.split(' ') ?? [];
  return 10 * (Number(fields[11]) + Number(fields[12]));
}

/** Processor time of the threads that a process has, in nanoseconds, as the scheduler of Linux reports it. */
export function threadTimeOf(pid: number): number {
  const tasks = `/proc/${pid}/task`;
  const times = readdirSync(tasks).map((id) => readFileSync(`${tasks}/${id}/schedstat`, 'latin1').split(' ')[0]);
  return times.reduce((sum, time) => sum + Number(time), 0);
}

/** Processor time of all that the machine has run since it started, in seconds. */
export function cpuOfMachine(): number {
  const [line = ''] = readFileSync('/proc/stat', 'latin1').split('\n');
  const [, user, nice, system, , , interrupts, softInterrupts] = line.split(/\s+/).map(Number);
  return [user, nice, system, interrupts, softInterrupts].reduce((sum: number, time = 0) => sum + time, 0) / 100;
}

/** Resident memory of a process, in bytes, as Linux reports it. */
export function rssOf(pid: number): number {
  const [, kib] = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'latin1')) ?? [];
  return Number(kib) * 1024;
}
