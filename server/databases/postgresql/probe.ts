import { once } from 'node:events';
import type { Socket } from 'node:net';
import { boundSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { startPacket, tlsCode } from './requests.ts';

/**
 * Makes a function that checks whether the server at a connection's address answers. It sends the request for TLS, which every
 * server answers with a byte before any log-in.
 */
export function prober(uri: Admitted, socket: Socket): (signal: AbortSignal) => Promise<void> {
  const there = atSameAddress(uri, socket);
  return async (signal) => {
    const connection = boundSocket('PostgreSQL', there, signal);
    // An error without a listener would end the process.
    connection.on('error', () => undefined);
    try {
      connection.connect(uri.port ?? 5432);
      connection.write(startPacket(tlsCode));
      await once(connection, 'data', { signal });
    } finally {
      connection.destroy();
    }
  };
}
