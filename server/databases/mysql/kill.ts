import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { pinnedSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';
import { openConnection } from './connection.ts';

/** How long a request may take, in milliseconds. */
const requestTimeout = 1000;

export interface Killer {
  /** Sends one request, and waits until the server has acted on it or cannot be reached. @param what default: the statement */
  kill: (what?: 'QUERY' | 'CONNECTION') => Promise<void>;
  /** Gives up requests in progress. */
  close: () => void;
}

/**
 * Stops the present work of a session, on another connection to the same address. Without more words it ends the statement and
 * not the session, so that a commit in progress is still answered.
 *
 * @param socket of the session's connection
 * @param id of the session in the server
 */
export function killer(uri: Admitted, socket: Socket, id: number): Killer {
  const there = atSameAddress(uri, socket);
  const open = new Set<Socket>();
  const kill = async (what: 'QUERY' | 'CONNECTION' = 'QUERY'): Promise<void> => {
    // One at a time: a log-in takes longer than the pause between two requests may be.
    if (open.size > 0) return;
    const other = pinnedSocket(there);
    open.add(other);
    const timer = setTimeout(() => other.destroy(new Error('no answer')), requestTimeout);
    const connection = openConnection(there, other);
    connection.on('error', () => undefined);
    try {
      await promisify(connection.connect.bind(connection))();
      await new Promise<void>((resolve, reject) => {
        connection.once('error', reject);
        connection.query(`KILL ${what} ${id}`, (error) => {
          if (error === null) resolve();
          else reject(error);
        });
      });
    } catch {
      // The caller sees whether the session stops, and repeats the request or closes the connection.
    } finally {
      clearTimeout(timer);
      connection.destroy();
      other.destroy();
      open.delete(other);
    }
  };
  const close = (): void => {
    for (const other of open) other.destroy(new Error('given up'));
  };
  return { kill, close };
}
