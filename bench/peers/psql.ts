import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import type { DatabaseServer } from '../../test/support/databases/server.ts';

/** Runs SQL with psql, each statement on its own. */
export async function runSql(server: DatabaseServer, sql: string): Promise<void> {
  await psql(
    server,
    sql.split(';').flatMap((statement) => ['-c', statement]),
  );
}

/** Writes the rows of a query into a file, as text. */
export async function copyOut(server: DatabaseServer, query: string, file: string): Promise<void> {
  await psql(server, ['-c', `\\copy (${query}) to '${file}'`]);
}

async function psql({ host, port, user, password }: DatabaseServer, commands: readonly string[]): Promise<void> {
  const login = ['-h', host, '-p', String(port), '-U', user, '-d', 'rolecall'];
  const child = spawn('psql', ['-X', '-q', '-v', 'ON_ERROR_STOP=1', ...login, ...commands], {
    env: { ...process.env, PGPASSWORD: password },
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  child.on('error', () => undefined);
  const [errors, [code]] = await Promise.all([text(child.stderr), once(child, 'close') as Promise<[number | null]>]);
  if (code === 0) return;
  throw new Error(errors === '' ? 'psql is missing: apt-get install postgresql-client' : `psql failed: ${errors}`);
}
