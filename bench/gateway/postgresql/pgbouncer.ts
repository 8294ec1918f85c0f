import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import { connect } from 'node:net';
import { delimiter, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Certificates } from '../../../test/support/databases/certificates.ts';
import { type DatabaseServer, otherUser, serverFolder } from '../../../test/support/databases/server.ts';
import { freePort } from '../../../test/support/free-port.ts';
import { cpuOf, rssOf } from '../../children/usage.ts';

export interface PgBouncer {
  readonly port: number;
  /** Its processor time so far, in milliseconds. */
  readonly cpu: () => number;
  /** Its resident memory, in bytes. */
  readonly rss: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** @returns undefined where the machine has no PgBouncer */
export function findPgBouncer(): string | undefined {
  return [...(process.env['PATH'] ?? '').split(delimiter), '/usr/sbin']
    .map((place) => join(place, 'pgbouncer'))
    .find((file) => existsSync(file));
}

/**
 * Starts PgBouncer in front of a server: SCRAM on both sides, and a connection to the server for each client, as the gateway has it.
 *
 * @param tls demands TLS of clients
 */
export async function startPgBouncer(
  program: string,
  server: DatabaseServer,
  { tls, admin }: { tls: Certificates | undefined; admin: pg.Client },
): Promise<PgBouncer> {
  const [user, port] = [await otherUser(), await freePort()];
  const folder = await serverFolder('pgbouncer', user);
  const write = (name: string, text: string): string => {
    const file = join(folder, name);
    writeFileSync(file, text);
    if (user.uid !== undefined && user.gid !== undefined) chownSync(file, user.uid, user.gid);
    return file;
  };
  const { rows } = await admin.query<{ secret: string }>(
    'select rolpassword as secret from pg_authid where rolname = $1',
    [server.user],
  );
  const encryption =
    tls === undefined
      ? ''
      : `client_tls_sslmode = require
client_tls_cert_file = ${write('cert.pem', tls.certificate)}
client_tls_key_file = ${write('key.pem', tls.key)}
`;
  const settings = `[databases]
rolecall = host=${server.host} port=${server.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = scram-sha-256
auth_file = ${write('users', `"${server.user}" "${rows[0]?.secret ?? ''}"\n`)}
pool_mode = session
max_client_conn = 2000
default_pool_size = 100
ignore_startup_parameters = extra_float_digits
log_connections = 0
log_disconnections = 0
log_stats = 0
${encryption}`;
  const child = spawn(program, ['-q', write('pgbouncer.ini', settings)], { ...user, cwd: '/', stdio: 'ignore' });
  const pid = child.pid ?? 0;
  const exited = once(child, 'exit');
  const stop = async (): Promise<void> => {
    child.kill('SIGINT');
    await exited;
    rmSync(folder, { recursive: true, force: true });
  };
  while (child.exitCode === null && !(await isListening(port))) await sleep(20);
  if (child.exitCode !== null) throw new Error(`PgBouncer ended with ${child.exitCode}`);
  return { port, cpu: () => cpuOf(pid), rss: () => Promise.resolve(rssOf(pid)), stop };
}

async function isListening(port: number): Promise<boolean> {
  const socket = connect(port, '127.0.0.1');
  try {
    await once(socket, 'connect');
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
}
