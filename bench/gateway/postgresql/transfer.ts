import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { Door } from '../doors.ts';
import { environment } from './pgbench.ts';

/** Reads so many MiB of rows of one KiB with psql, which throws them away. @returns MiB a second */
export async function transfer(door: Door, mebibytes: number): Promise<number> {
  const sql = `copy (select repeat('x', 1023) from generate_series(1, ${mebibytes * 1024})) to stdout`;
  const begun = performance.now();
  const child = spawn('psql', ['-X', '-q', '-o', '/dev/null', '-c', sql], {
    env: environment(door),
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (code !== 0) throw new Error(`psql failed: ${errors}`);
  return (mebibytes * 1000) / (performance.now() - begun);
}
