import { type LookupFunction, Socket } from 'node:net';
import { checkServerIdentity, TLSSocket } from 'node:tls';
import type { ConnectionUri } from '@rolecall/api';
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
export function pinnedSocket({ addresses }: Admitted, reads?: ReusedReads): Socket {
  const socket = new Socket(reads?.options);
  reads?.attach(socket);
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

/** What the TLS parameters of a URI mean for the password. */
export interface TlsWords {
  /** Whether the URI allows sending the password over an unchecked connection. */
  accepted: boolean;
  /** The parameter that demands a checked connection, for messages. */
  checked: string;
}

/** Why a connection is not fully protected; undefined if TLS verified this host. */
function weaknessOf(stream: unknown, { host = '' }: ConnectionUri): string | undefined {
  if (!(stream instanceof TLSSocket)) return 'the connection is not encrypted';
  const reason = stream.authorized
    ? checkServerIdentity(host, stream.getPeerCertificate())?.message
    : String(stream.authorizationError);
  return reason === undefined ? undefined : `the connection is encrypted, but to an unchecked key (${reason})`;
}

/** The warning of a connection test; none on loopback, where nothing else can listen. */
export function warningOf(stream: unknown, socket: Socket, uri: ConnectionUri, words: TlsWords): string | undefined {
  const weakness = isLoopback(socket) ? undefined : weaknessOf(stream, uri);
  return weakness === undefined ? undefined : `${weakness}; ${words.checked} in the URI lets nothing else pass`;
}

/**
 * Stops a log-in that would send the password itself to an unverified server.
 *
 * @throws Error if the connection is unchecked and leads beyond this machine, and the URI does not allow that
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
