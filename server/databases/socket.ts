import { type LookupFunction, Socket } from 'node:net';
import { DeadlineError } from './deadline.ts';
import type { Admitted } from './guard/index.ts';

/**
 * Makes a socket, not connected yet, for a driver to use as its own; it is destroyed when the signal aborts. The
 * drivers' own time-outs end some phases of a connection and not others; this ends them all.
 *
 * @param product named in the error, since what answers may be something else
 */
export function boundSocket(product: string, uri: Admitted, signal: AbortSignal): Socket {
  // A signal that has aborted says so to nobody who begins to listen now.
  signal.throwIfAborted();
  const socket = pinnedSocket(uri);
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

/** A socket that connects to the addresses that were admitted and to no others, whatever host a driver names. */
export function pinnedSocket({ addresses }: Admitted): Socket {
  const socket = new Socket();
  const connect = socket.connect.bind(socket);
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error('no address was admitted'), '');
  };
  // A name, so that Node asks for its addresses; it appears nowhere.
  return Object.assign(socket, { connect: (port: number) => connect({ port, host: 'admitted', lookup }) });
}

function explain({ message }: DeadlineError, product: string, pending: boolean): Error {
  return new Error(
    pending
      ? `${message}: no connection was made (is the host right, and does a firewall let it through?)`
      : `${message}: the connection was made, but not in ${product}'s protocol, or the server is busy`,
  );
}
