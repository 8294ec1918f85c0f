import { readdirSync, readFileSync } from 'node:fs';
import { createConnection, type RowDataPacket } from 'mysql2/promise';
import pg from 'pg';
import type { DatabaseServer } from '../../support/databases/server.ts';

/** The processes of a server, parents first. */
export async function serverProcesses(name: 'postgresql' | 'mariadb', server: DatabaseServer): Promise<number[]> {
  const file = name === 'postgresql' ? await postgresPidFile(server) : await mariadbPidFile(server);
  const pid = Number(readFileSync(file, 'utf8').split('\n')[0]);
  return [pid, ...childrenOf(pid)];
}

async function postgresPidFile({ uri }: DatabaseServer): Promise<string> {
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  const { rows } = await client.query<{ data_directory: string }>('SHOW data_directory');
  await client.end();
  return `${rows[0]?.data_directory ?? ''}/postmaster.pid`;
}

async function mariadbPidFile({ host, port, user, password }: DatabaseServer): Promise<string> {
  const connection = await createConnection({ host, port, user, password });
  const [rows] = await connection.query<RowDataPacket[]>('SELECT @@pid_file AS file');
  await connection.end();
  return String(rows[0]?.['file']);
}

/** As Linux tells it. */
export function childrenOf(pid: number): number[] {
  return readdirSync(`/proc/${pid}/task`).flatMap((task) =>
    readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8')
      .split(' ')
      .filter((text) => text !== '')
      .map(Number),
  );
}

/** The children of this process that work on SQLite files. A test file that shares its process may have others, such as servers. */
export function sqliteProcesses(): number[] {
  return childrenOf(process.pid).filter((pid) => {
    try {
      return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('/databases/sqlite/');
    } catch {
      return false;
    }
  });
}

/** Sends a signal to all of them. */
export function signalAll(pids: readonly number[], signal: NodeJS.Signals): void {
  for (const pid of pids) {
    try {
      process.kill(pid, signal);
    } catch (error) {
      // A server's helpers come and go.
      if (!(error instanceof Error && 'code' in error && error.code === 'ESRCH')) throw error;
    }
  }
}
