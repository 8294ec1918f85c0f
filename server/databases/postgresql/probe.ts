import { once } from 'node:events';
import type { Socket } from 'node:net';
import { boundSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { startPacket, tlsCode } from './requests.ts';

/**
 * Makes what asks whether the server at a connection's address answers. The question is the one for TLS, which every
 * server answers with a byte before it knows who asks.
 */
export function prober(uri: Admitted, socket: Socket): (signal: AbortSignal) => Promise<void> {
  const there = atSameAddress(uri, socket);
  return async (signal) => {
    const connection = boundSocket('PostgreSQL', there, signal);
    // One that comes when nothing waits for it any more would otherwise end the process.
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
