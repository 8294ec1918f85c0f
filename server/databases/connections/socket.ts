import { type LookupFunction, Socket } from 'node:net';
import { checkServerIdentity, TLSSocket } from 'node:tls';
import type { ConnectionUri } from '@rolecall/api';
import { DeadlineError } from '../deadline.ts';
import type { Admitted } from '../guard/index.ts';

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

/** What a URI's words for TLS come to. */
export interface TlsWords {
  /** Whether the URI itself has the password sent over a connection that is not checked. */
  accepted: boolean;
  /** The words for a connection that is checked, for messages. */
  checked: string;
}

/** What protects a connection less than it should; undefined where TLS was checked to lead to this host. */
export function weaknessOf(stream: unknown, { host = '' }: ConnectionUri): string | undefined {
  if (!(stream instanceof TLSSocket)) return 'the connection is not encrypted';
  const reason = stream.authorized
    ? checkServerIdentity(host, stream.getPeerCertificate())?.message
    : String(stream.authorizationError);
  return reason === undefined ? undefined : `the connection is encrypted, but to an unchecked key (${reason})`;
}

/** What the answer of a test warns of: nothing where nobody can listen. */
export function warningOf(stream: unknown, socket: Socket, uri: ConnectionUri, words: TlsWords): string | undefined {
  const weakness = isLoopback(socket) ? undefined : weaknessOf(stream, uri);
  return weakness === undefined ? undefined : `${weakness}; ${words.checked} in the URI lets nothing else pass`;
}

/**
 * Stops a log-in that would hand the password itself to whoever answers at the address.
 *
 * @throws Error where the connection is not checked, leads beyond this machine, and the URI does not accept that
 */
export function assertMayTellPassword(stream: unknown, socket: Socket, uri: ConnectionUri, words: TlsWords): void {
  const weakness = words.accepted || isLoopback(socket) ? undefined : weaknessOf(stream, uri);
  if (weakness === undefined) return;
  throw new Error(
    `the server asks for the password itself, which is not sent: ${weakness}. Write ${words.checked} into the URI (NODE_EXTRA_CA_CERTS names the service a private authority), or accept it with one of the weaker words`,
  );
}

function isLoopback({ remoteAddress = '' }: Socket): boolean {
  return /^(::ffff:)?127\.|^::1$/.test(remoteAddress);
}
