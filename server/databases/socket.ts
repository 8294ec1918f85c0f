import { Socket } from 'node:net';
import { DeadlineError } from './deadline.ts';

/**
 * Makes a socket, not connected yet, for a driver to use as its own; it is destroyed when the signal aborts. The
 * drivers' own time-outs end some phases of a connection and not others; this ends them all.
 *
 * @param product named in the error, since what answers may be something else
 */
export function boundSocket(product: string, signal: AbortSignal): Socket {
  const socket = new Socket();
  const abort = (): void => {
    const reason: unknown = signal.reason;
    socket.destroy(reason instanceof DeadlineError ? explain(reason, product, socket.pending) : (reason as Error));
  };
  signal.addEventListener('abort', abort, { once: true });
  socket.on('close', () => {
    signal.removeEventListener('abort', abort);
  });
  return socket;
}

function explain({ message }: DeadlineError, product: string, pending: boolean): Error {
  return new Error(
    pending
      ? `${message}: no connection was made (is the host right, and does a firewall let it through?)`
      : `${message}: the connection was made, but not in ${product}'s protocol, or the server is busy`,
  );
}
