import { isIP } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  verifyIdentity?: boolean;
}

/**
 * What `ssl-mode` asks for. Absent means no TLS, as with `disabled`: the protocol's `preferred` falls back to plain
 * text, so it protects nothing. Certificates are verified against the authorities that Node trusts, and those in the
 * file that NODE_EXTRA_CA_CERTS names.
 */
export function tlsOptions({ host = '', parameters }: ConnectionUri): TlsOptions | undefined {
  switch (parameters['ssl-mode']) {
    case 'required':
      return { rejectUnauthorized: false };
    case 'verify_ca':
      return { rejectUnauthorized: true };
    case 'verify_identity':
      // mysql2 would compare the certificate with "localhost".
      if (isIP(host) !== 0) throw new Error('ssl-mode=verify_identity needs the host by name, not by address');
      return { rejectUnauthorized: true, verifyIdentity: true };
    case undefined:
    default:
      return undefined;
  }
}
