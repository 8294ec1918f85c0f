import { boundSocket, warningOf } from '../connections/socket.ts';
import { settleWithin } from '../deadline.ts';
import { type Dialect, type Found, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { connectClient } from './client.ts';
import { tlsWords } from './tls.ts';

const productName = 'PostgreSQL';
const largestMessage = 1024 * 1024;
const goodbye = 250;

export const postgresql: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<Found> {
  const socket = boundSocket(productName, uri, signal);
  // An error without a listener would end the process.
  socket.on('error', () => undefined);
  try {
    const client = await connectClient(uri, socket, largestMessage);
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    const version = rows[0]?.server_version;
    if (version === undefined) throw new Error('the server gave no version');
    const warning = warningOf(client.connection.stream, socket, uri, tlsWords(uri));
    await settleWithin(goodbye, client.end());
    return { version: serverVersion(productName, version), warning };
  } finally {
    socket.destroy();
  }
}
