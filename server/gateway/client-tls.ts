import type { Duplex } from 'node:stream';
import { type SecureContext, TLSSocket } from 'node:tls';

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
