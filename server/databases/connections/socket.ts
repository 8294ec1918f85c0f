import { type LookupFunction, Socket } from 'node:net';
import { DeadlineError } from '../deadline.ts';
import type { Admitted } from '../guard/index.ts';
import type { ReusedReads } from './reused-reads.ts';

/**
 * Makes an unconnected socket for a driver, and destroys it when the signal aborts. The drivers' own time-outs cover only some
 * phases of a connection; this covers all.
 *
 * @param product named in the error, since something else may answer
 * @param reads how it is read, if not as always
 */
export function boundSocket(product: string, uri: Admitted, signal: AbortSignal, reads?: ReusedReads): Socket {
  // A listener that is added after the abort would never be called.
  signal.throwIfAborted();
  const socket = pinnedSocket(uri, reads);
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

/** A socket that connects only to the admitted addresses, whatever host a driver names. */
function pinnedSocket({ addresses }: Admitted, reads?: ReusedReads): Socket {
  const socket = new Socket(reads?.options);
  reads?.attach(socket);
  // An error without a listener would end the process.
  socket.on('error', () => undefined);
  const connect = socket.connect.bind(socket);
  const lookup: LookupFunction = (_host, options, callback) => {
    const [first] = addresses;
    if (options.all === true) callback(null, [...addresses]);
    else if (first !== undefined) callback(null, first.address, first.family);
    else callback(new Error('no address was admitted'), '');
  };
  // A name, so that Node calls `lookup`; it appears nowhere.
  return Object.assign(socket, { connect: (port: number) => connect({ port, host: 'admitted', lookup }) });
}

function explain({ message }: DeadlineError, product: string, pending: boolean): Error {
  return new Error(
    pending
      ? `${message}: no connection was made (is the host right, and does a firewall let it through?)`
      : `${message}: the connection was made, but not in ${product}'s protocol, or the server is busy`,
  );
}
