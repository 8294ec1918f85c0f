import { cp, readFile, symlink, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { freePort } from '../free-port.ts';
import { find, type PostgresPrograms, startsAs } from './parts.ts';
import { type DatabaseServer, makePassword, type OtherUser, otherUser, serverFolder, startServer } from './server.ts';

/** Fast, and nothing survives a crash of the machine: data of tests need not. */
const settings: Readonly<Record<string, string>> = {
  fsync: 'off',
  synchronous_commit: 'off',
  full_page_writes: 'off',
  shared_buffers: '32MB',
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '',
  timezone: 'UTC',
};

export interface PostgresServer extends DatabaseServer {
  /** Ends the server by a signal, and waits for its end: SIGQUIT stops it at once, as a crash would; SIGKILL is one. */
  kill: (signal: 'SIGQUIT' | 'SIGKILL') => Promise<void>;
}

/**
 * Starts a PostgreSQL of its own, with the superuser `rolecall` and the database `rolecall`.
 *
 * @param more server settings, as in postgresql.conf, which win over the harness's
 * @param files files to put into the data folder by name, readable only for the server (certificates and keys)
 * @param restarts whether it is started again whenever it ends, by `kill` say
 * @throws when the machine has no PostgreSQL (ask `requires('postgresql')` first) or it does not start
 */
export async function startPostgres(
  more: Readonly<Record<string, string>> = {},
  files: Readonly<Record<string, string>> = {},
  restarts = false,
): Promise<PostgresServer> {
  const user = await otherUser();
  const folder = await serverFolder('postgres', user);
  const { bin } = await usablePrograms(find('postgresql'), user, folder);
  const [port, password] = [await freePort(), makePassword()];
  const data = path.join(folder, 'data');
  const passwordFile = path.join(folder, 'password');
  await writeFile(passwordFile, password);
  const all = Object.entries({ ...settings, ...more, port: String(port) });
  const login = { host: '127.0.0.1', port, user: 'rolecall', password };
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const stop = await startServer(
    {
      folder,
      user,
      stopSignal: 'SIGQUIT',
      restarts,
      setup: [
        {
          program: path.join(bin, 'initdb'),
          args: ['-D', data, '-U', login.user, `--pwfile=${passwordFile}`, ...initdbOptions],
        },
        ...Object.keys(files).map((name) => ({
          program: 'install',
          args: ['-m', '600', path.join(folder, name), path.join(data, name)],
        })),
      ],
      server: {
        program: path.join(bin, 'postgres'),
        args: ['-D', data, ...all.flatMap(([name, value]) => ['-c', `${name}=${value}`])],
      },
    },
    () => createDatabase(login),
  );
  return {
    ...login,
    uri: `postgresql://${login.user}:${password}@127.0.0.1:${port}/rolecall`,
    stop,
    kill: async (signal) => {
      const [line] = (await readFile(path.join(data, 'postmaster.pid'), 'utf8')).split('\n');
      const pid = Number(line);
      process.kill(pid, signal);
      while (isRunning(pid)) await sleep(5);
    },
  };
}

function isRunning(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}

const initdbOptions = ['-E', 'UTF8', '--no-locale', '--auth=scram-sha-256', '--no-sync', '--no-instructions'];

async function createDatabase(login: pg.ClientConfig): Promise<boolean> {
  const client = new pg.Client({ ...login, database: 'postgres' });
  client.on('error', () => undefined);
  try {
    await client.connect();
    await client.query('CREATE DATABASE rolecall');
    return true;
  } finally {
    await client.end();
  }
}

/**
 * The npm package leaves the links between its shared libraries to an install script, which npm may be told not to run,
 * and lies in a checkout that the server's user may not be allowed to enter.
 */
async function usablePrograms(found: PostgresPrograms, user: OtherUser, folder: string): Promise<PostgresPrograms> {
  if (!found.packaged) return found;
  const native = path.dirname(found.bin);
  if ((await linkLibraries(native)) && startsAs(path.join(found.bin, 'postgres'), user)) return found;
  const copy = path.join(folder, 'native');
  await cp(native, copy, { recursive: true, verbatimSymlinks: true });
  if (!(await linkLibraries(copy))) throw new Error(`cannot link PostgreSQL's libraries in ${copy}`);
  return { bin: path.join(copy, 'bin'), packaged: true };
}

/** Makes the links that are missing, also while another process does the same; false where it may not write. */
async function linkLibraries(native: string): Promise<boolean> {
  const list = await readFile(path.join(native, 'pg-symlinks.json'), 'utf8').catch(() => '[]');
  for (const { source, target } of JSON.parse(list) as { source: string; target: string }[]) {
    const link = path.join(native, '..', target);
    const place = path.relative(path.dirname(target), source);
    const made = await symlink(place, link).then(
      () => true,
      (error: unknown) => error instanceof Error && 'code' in error && error.code === 'EEXIST',
    );
    if (!made) return false;
  }
  return true;
}
