import { isIP } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import type { TlsWords } from '../tls.ts';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  verifyIdentity?: boolean;
}

/**
 * Gives the meaning of `ssl-mode` for the password. The default is `preferred`: TLS if the server offers it, and no trust in an unchecked
 * server.
 */
export function tlsWords({ parameters: { 'ssl-mode': mode = 'preferred' } }: ConnectionUri): TlsWords {
  return { accepted: mode !== 'preferred', checked: 'ssl-mode=verify_identity' };
}

/**
 * Gives the TLS options that `ssl-mode` demands; undefined for no TLS. Certificates are verified against the authorities that Node
 * trusts, and those in the file that NODE_EXTRA_CA_CERTS names.
 */
export function tlsOptions({ host = '', parameters }: ConnectionUri): TlsOptions | undefined {
  switch (parameters['ssl-mode']) {
    case 'required':
    case 'preferred':
    case undefined:
      return { rejectUnauthorized: false };
    case 'verify_ca':
      return { rejectUnauthorized: true };
    case 'verify_identity':
      // mysql2 would compare the certificate with "localhost".
      if (isIP(host) !== 0) throw new Error('ssl-mode=verify_identity needs the host by name, not by address');
      return { rejectUnauthorized: true, verifyIdentity: true };
    default:
      return undefined;
  }
}
