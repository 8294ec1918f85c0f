import type { PeerCertificate } from 'node:tls';
import type { ConnectionUri } from '@rolecall/api';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  checkServerIdentity?: (host: string, certificate: PeerCertificate) => Error | undefined;
}

/**
 * What `sslmode` asks for. Absent means no TLS: node-postgres has no counterpart of libpq's `prefer`, which falls back
 * to plain text anyway, so it protects nothing. Certificates are verified against the authorities that Node trusts,
 * and those in the file that NODE_EXTRA_CA_CERTS names.
 */
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
