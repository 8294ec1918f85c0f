import type { Socket } from 'node:net';
import { type CancelKey, cancelRequest } from '../../protocols/postgresql/startup.ts';
import { openStream } from '../../protocols/postgresql/tls.ts';
import { boundSocket } from '../connections/socket.ts';
import { StopRequests } from '../connections/stop-requests.ts';
import { type Admitted, atSameAddress } from '../guard/index.ts';

/**
 * Asks the server to stop the present work of a session (PostgreSQL's manual, "Canceling Requests in Progress"). The request
 * goes to the connection's own address, whatever its name resolves to by now, and uses TLS if the connection does. It names the
 * session by a secret, so it cannot hit another one.
 *
 * @param key of the session; without one, nothing is sent
 * @returns what sends one request, and what gives up those in progress
 */
export function canceller(
  key: CancelKey | undefined,
  socket: Socket,
  uri: Admitted,
): { cancel: () => Promise<void>; close: () => void } {
  const there = atSameAddress(uri, socket);
  const requests = new StopRequests();
  const cancel = async (): Promise<void> => {
    if (key === undefined) return;
    await requests.send(async (signal) => {
      const connection = boundSocket('PostgreSQL', there, signal);
      const closed = new Promise((resolve) => connection.once('close', resolve));
      const stream = await openStream(connection, there);
      stream.on('error', () => undefined).on('close', () => connection.destroy());
      // The server closes the connection once it has acted.
      stream.resume().end(cancelRequest.encode(key));
      await closed;
    });
  };
  return { cancel, close: requests.close };
}
