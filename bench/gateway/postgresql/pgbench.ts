import { execFile } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { median } from '../../report.ts';
import type { Door } from './doors.ts';

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

export interface Selects {
  /** The middle of the times that a transaction takes its client, in microseconds. */
  readonly p50: number;
  readonly perSecond: number;
  /** Processor time of what stands between client and server, for one transaction, in microseconds. */
  readonly cpu: number;
}

/** Reads one row again and again, by a prepared statement. */
export async function runSelects(door: Door, clients: number, seconds: number): Promise<Selects> {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-'));
  try {
    // A log of sixteen clients would take as much time as their transactions.
    const log = clients === 1 ? ['-l', '--log-prefix', join(folder, 'log')] : [];
    const args = ['-n', '-S', '-M', 'prepared', '-c', String(clients), '-T', String(seconds), ...log];
    const before = door.cpu();
    const { stdout } = await promisify(execFile)('pgbench', args, { env: environment(door), cwd: folder });
    const cpu = door.cpu() - before;
    const [, count = ''] = /transactions actually processed: (\d+)/.exec(stdout) ?? [];
    const [, perSecond = ''] = /^tps = ([\d.]+)/m.exec(stdout) ?? [];
    const times = readdirSync(folder).flatMap((name) =>
      readFileSync(join(folder, name), 'latin1')
        .trimEnd()
        .split('\n')
        .map((line) => Number(line.split(' ')[2])),
    );
    return { p50: median(times), perSecond: Number(perSecond), cpu: (cpu * 1000) / Number(count) };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}
