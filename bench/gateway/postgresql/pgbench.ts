import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../../report/report.ts';
import type { Door } from '../doors.ts';

/** What libpq connects with. */
export function environment({ port, user, database, password, isTls }: Door): NodeJS.ProcessEnv {
  return {
    ...process.env,
    PGHOST: '127.0.0.1',
    PGPORT: String(port),
    PGUSER: user,
    PGDATABASE: database,
    PGPASSWORD: password,
    PGSSLMODE: isTls ? 'require' : 'disable',
    PGGSSENCMODE: 'disable',
  };
}

/** Makes pgbench's tables, with 100,000 rows. */
export async function fillTables(door: Door): Promise<void> {
  await promisify(execFile)('pgbench', ['-i', '-q', '-s', '1'], { env: environment(door) });
}

/** Reads one row again and again, by a prepared statement, with one client. @returns the middle of the times that it takes, in microseconds */
export async function timeSelects(door: Door, seconds: number): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    await pgbench(door, ['-c', '1', '-T', String(seconds), '-l', '--log-prefix', join(folder, 'log')]);
    const times = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), 'latin1')
        .trimEnd()
        .split('\n')
        .map((line) => Number(line.split(' ')[2])),
    );
    return median(times);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * The same with several clients.
 *
 * @param count for each client
 * @returns processor time of what stands between client and server, for one transaction, in microseconds
 */
export async function cpuOfSelects(door: Door, clients: number, count: number): Promise<number> {
  const run = async (transactions: number): Promise<number> => {
    const before = door.cpu();
    await pgbench(door, ['-c', String(clients), '-t', String(transactions)]);
    return door.cpu() - before;
  };
  // What it takes to connect is in both.
  const few = Math.ceil(count / 50);
  const less = await run(few);
  return (((await run(few + count)) - less) * 1000) / (count * clients);
}

async function pgbench(door: Door, args: readonly string[]): Promise<void> {
  await promisify(execFile)('pgbench', ['-n', '-S', '-M', 'prepared', ...args], { env: environment(door) });
}
