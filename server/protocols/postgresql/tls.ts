import { isIP, type Socket } from 'node:net';
import { type PeerCertificate, connect as startTls, type TLSSocket } from 'node:tls';
import type { ConnectionUri } from '@rolecall/api';
import type { TlsWords } from '../tls.ts';
import { encryptionRequest } from './startup.ts';

interface TlsOptions {
  rejectUnauthorized: boolean;
  checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/** Gives the TLS options that `sslmode` demands; false if it demands no TLS. */
export function tlsOptions({ parameters }: ConnectionUri): TlsOptions | false {
  switch (parameters['sslmode']) {
    case 'require':
      return { rejectUnauthorized: false };
    case 'verify-ca':
      return { rejectUnauthorized: true, checkServerIdentity: () => undefined };
    case 'verify-full':
      return { rejectUnauthorized: true };
    case undefined:
    default:
      return false;
  }
}

/**
 * Gives the meaning of `sslmode` for the password. The default is `prefer`: TLS if the server offers it, and no trust in an unchecked
 * server.
 */
export function tlsWords({ parameters: { sslmode = 'prefer' } }: ConnectionUri): TlsWords {
  return { accepted: sslmode !== 'prefer', checked: 'sslmode=verify-full' };
}

/**
 * Connects a socket and requests TLS as `sslmode` demands. Certificates are verified against the authorities that Node trusts,
 * and those in the file that NODE_EXTRA_CA_CERTS names.
 *
 * @param socket not connected yet
 * @returns the stream to talk to the server: the socket, or TLS on top of it
 * @throws Error if the server does not do what `sslmode` demands
 */
export async function openStream(socket: Socket, uri: ConnectionUri): Promise<Socket> {
  const { host = '', port = 5432, parameters } = uri;
  const demanded = tlsOptions(uri);
  socket.setNoDelay(true);
  const connected = next(socket, 'connect');
  socket.connect(port);
  await connected;
  if (parameters['sslmode'] === 'disable') return socket;
  const answered = next(socket, 'data');
  socket.write(encryptionRequest.encode('tls'));
  const answer = String(await answered);
  // Exactly one byte: anything after it could pass for the server's later messages within TLS.
  if (answer === 'N' && demanded === false) return socket;
  if (answer === 'N') throw new Error('The server does not support SSL connections');
  if (answer !== 'S') throw new Error("the server does not answer the request for TLS in PostgreSQL's protocol");
  const secure: TLSSocket = startTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(demanded === false ? { rejectUnauthorized: false } : demanded),
  });
  await next(secure, 'secureConnect');
  return secure;
}

function next(stream: Socket, event: string): Promise<unknown> {
  const { promise, resolve, reject } = Promise.withResolvers<unknown>();
  stream.once(event, resolve).once('error', reject);
  stream.once('close', () => {
    reject(new Error('Connection terminated unexpectedly'));
  });
  return promise;
}
