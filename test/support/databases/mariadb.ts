import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import mysql from 'mysql2/promise';
import { freePort } from '../free-port.ts';
import { find } from './parts.ts';
import { type DatabaseServer, makePassword, otherUser, serverFolder, startServer } from './server.ts';

/** Fast, and nothing survives a crash of the machine: data of tests need not. */
const options = [
  '--bind-address=127.0.0.1',
  '--innodb-flush-log-at-trx-commit=0',
  '--innodb-buffer-pool-size=32M',
  '--innodb-fast-shutdown=2',
  '--skip-log-bin',
  '--default-time-zone=+00:00',
];

/**
 * Starts a MariaDB of its own, with the user `rolecall`, who may do everything, and the database `rolecall`.
 *
 * @param more options of the server program, which win over the harness's
 * @param files files to put into the server's folder by name (certificates and keys); `{folder}` in an option is that folder
 * @throws when the machine has no MariaDB (ask `requires('mariadb')` first) or it does not start
 */
export async function startMariadb(
  more: readonly string[] = [],
  files: Readonly<Record<string, string>> = {},
): Promise<DatabaseServer> {
  const { server, install } = find('mariadb');
  const user = await otherUser();
  const folder = await serverFolder('mariadb', user);
  const [port, password] = [await freePort(), makePassword()];
  const data = path.join(folder, 'data');
  const login = { host: '127.0.0.1', port, user: 'rolecall', password };
  const grants = path.join(folder, 'grants.sql');
  await writeFile(
    grants,
    `CREATE DATABASE rolecall CHARACTER SET utf8mb4;
CREATE USER 'rolecall'@'%' IDENTIFIED BY '${password}';
GRANT ALL ON *.* TO 'rolecall'@'%' WITH GRANT OPTION;
`,
  );
  for (const [name, text] of Object.entries(files)) await writeFile(path.join(folder, name), text);
  const stop = await startServer(
    {
      folder,
      user,
      stopSignal: 'SIGTERM',
      setup: [
        {
          program: install,
          // Servers that start side by side delete each other's files in a shared temporary folder.
          args: [
            '--no-defaults',
            `--datadir=${data}`,
            `--tmpdir=${folder}`,
            '--skip-test-db',
            '--auth-root-authentication-method=normal',
          ],
        },
      ],
      server: {
        program: server,
        args: [
          '--no-defaults',
          `--datadir=${data}`,
          `--tmpdir=${folder}`,
          `--port=${port}`,
          `--socket=${path.join(folder, 'socket')}`,
          `--pid-file=${path.join(folder, 'pid')}`,
          `--init-file=${grants}`,
          ...options,
          ...more.map((option) => option.replace('{folder}', folder)),
        ],
      },
    },
    async () => {
      const connection = await mysql.createConnection(login);
      await connection.end();
      return true;
    },
  );
  return { ...login, uri: `mariadb://${login.user}:${password}@127.0.0.1:${port}/rolecall`, stop };
}
