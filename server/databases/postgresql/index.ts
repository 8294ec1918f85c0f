import { settleWithin } from '../deadline.ts';
import { type Dialect, type ServerVersion, serverVersion } from '../dialect.ts';
import type { Admitted } from '../guard/index.ts';
import { boundSocket } from '../socket.ts';
import { createClient } from './client.ts';

const productName = 'PostgreSQL';
const largestMessage = 1024 * 1024;
const goodbye = 250;

export const postgresql: Dialect = { readVersion };

async function readVersion(uri: Admitted, signal: AbortSignal): Promise<ServerVersion> {
  const socket = boundSocket(productName, uri, signal);
  const client = createClient(uri, socket, largestMessage);
  // An error that comes when nothing waits for it any more would otherwise end the process.
  client.on('error', () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ server_version: string }>('SHOW server_version');
    const version = rows[0]?.server_version;
    if (version === undefined) throw new Error('the server gave no version');
    await settleWithin(goodbye, client.end());
    return serverVersion(productName, version);
  } finally {
    socket.destroy();
  }
}
