import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { boundSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { openConnection } from './connection.ts';

/**
 * Makes a function that checks whether the server at a connection's address answers. It logs in, since a server counts
 * connections that end before that, and blocks a host with too many of them.
 */
export function prober(uri: Admitted, socket: Socket): (signal: AbortSignal) => Promise<void> {
  const there = atSameAddress(uri, socket);
  return async (signal) => {
    const other = boundSocket('MySQL', there, signal);
    const connection = openConnection(there, other);
    connection.on('error', () => undefined);
    try {
      await promisify(connection.connect.bind(connection))();
      await promisify(connection.end.bind(connection))();
    } catch (error) {
      // A refusal for too many connections is an answer, too.
      if (!(error instanceof Error && 'sqlState' in error)) throw error;
    } finally {
      connection.destroy();
      other.destroy();
    }
  };
}
