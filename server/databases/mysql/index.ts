import { promisify } from 'node:util';
import type { Connection, RowDataPacket } from 'mysql2';
import { tlsWords } from '../../protocols/mysql/tls.ts';
import { warningOf } from '../../protocols/tls.ts';
import { boundSocket } from '../connections/socket.ts';
import { settleWithin } from '../deadline.ts';
import { type Dialect, type Found, type ServerVersion, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { openConnection, streamOf } from './connection.ts';

const mostBytes = 1024 * 1024;
const goodbye = 250;

/** MySQL and MariaDB share a protocol. The server's own version tells them apart, not the URI's scheme. */
export const mysql: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  const socket = boundSocket('MySQL', uri, signal);
  const connection = openConnection(uri, socket);
  // An error without a listener would end the process.
  connection.on('error', () => undefined);
  socket.on('data', () => {
    if (socket.bytesRead > mostBytes) socket.destroy(new Error('the server does not speak the protocol of MySQL'));
  });
  try {
    const version = productOf(await queryVersion(connection));
    const warning = warningOf(streamOf(connection), socket, uri, tlsWords(uri));
    await settleWithin(goodbye, promisify(connection.end.bind(connection))());
    return { version, warning };
  } finally {
    connection.destroy();
    socket.destroy();
  }
}

function queryVersion(connection: Connection): Promise<string> {
  const { promise, resolve, reject } = Promise.withResolvers<string>();
  connection.once('error', reject);
  connection.query<RowDataPacket[]>('SELECT VERSION() AS version', (error, rows) => {
    if (error !== null) {
      reject(error);
      return;
    }
    const version: unknown = rows[0]?.['version'];
    if (typeof version === 'string') resolve(version);
    else reject(new Error('the server gave no version'));
  });
  return promise;
}

/** MariaDB prefixes its version with 5.5.5-, for clients that misread versions from 10 on. */
export function productOf(version: string): ServerVersion {
  if (!/mariadb/i.test(version)) return serverVersion('MySQL', version);
  return serverVersion('MariaDB', version.replace(/^5\.5\.5-(?=\d)/, ''));
}
