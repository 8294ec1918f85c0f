import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { checkServerIdentity, type SecureContext, TLSSocket } from 'node:tls';
import type { ConnectionUri } from '@rolecall/api';

/**
 * Begins TLS on the connection of a client.
 *
 * @param protocols for ALPN
 */
export function secure(stream: Duplex, secureContext: SecureContext, ...protocols: readonly string[]): TLSSocket {
  const alpn = protocols.length > 0 && { ALPNProtocols: [...protocols] };
  const within = new TLSSocket(stream, { isServer: true, secureContext, ...alpn });
  // Outside a `tls.Server`, Node only tells of an error behind the handshake: the session would stay for as long as the client likes.
  within.on('_tlsError', (error: Error) => within.destroy(error));
  return within;
}

/** Meaning of the TLS parameters of a URI for the password. */
export interface TlsWords {
  /** True if the URI allows sending the password over an unchecked connection. */
  accepted: boolean;
  /** The parameter that demands a checked connection, for messages. */
  checked: string;
}

/** Finds why a connection is not fully protected; undefined if TLS verified this host. */
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
