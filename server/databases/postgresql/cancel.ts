import type { Socket } from 'node:net';
import { type CancelKey, cancelRequest } from '../../protocols/postgresql/startup.ts';
import { openStream } from '../../protocols/postgresql/tls.ts';
import { pinnedSocket } from '../connections/socket.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';

/** How long a request may take, in milliseconds. It is one packet, and the server closes the connection once it has acted. */
const requestTimeout = 1000;

export interface Canceller {
  /** Sends one request, and waits until the server has acted on it or cannot be reached. */
  cancel: () => Promise<void>;
  /** Gives up requests in progress. */
  close: () => void;
}

/**
 * Asks the server to stop the present work of a session (PostgreSQL's manual, "Canceling Requests in Progress"). The request
 * goes to the connection's own address, whatever its name resolves to by now, and uses TLS if the connection does. It names the
 * session by a secret, so it cannot hit another one.
 *
 * @param key of the session; without one, nothing is sent
 */
export function canceller(key: CancelKey | undefined, socket: Socket, uri: Admitted): Canceller {
  const there = atSameAddress(uri, socket);
  const open = new Set<Socket>();
  const cancel = async (): Promise<void> => {
    if (key === undefined) return;
    const connection = pinnedSocket(there);
    const closed = new Promise((resolve) => connection.once('close', resolve));
    open.add(connection);
    const timer = setTimeout(() => connection.destroy(), requestTimeout);
    try {
      const stream = await openStream(connection, there);
      stream.on('error', () => undefined).on('close', () => connection.destroy());
      stream.resume().end(cancelRequest.encode(key));
      await closed;
    } catch {
      // The caller sees whether the session stops, and repeats the request or closes the connection.
    } finally {
      clearTimeout(timer);
      connection.destroy();
      open.delete(connection);
    }
  };
  const close = (): void => {
    for (const connection of open) connection.destroy();
  };
  return { cancel, close };
}
