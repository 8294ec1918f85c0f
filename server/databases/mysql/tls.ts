import { isIP } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import type { TlsWords } from '../connections/socket.ts';

export interface TlsOptions {
  rejectUnauthorized: boolean;
  verifyIdentity?: boolean;
}

/**
 * What `ssl-mode` says of the password. Absent is `preferred`: TLS where the server offers it, and no trust in a server that
 * was not checked.
 */
export function tlsWords({ parameters: { 'ssl-mode': mode = 'preferred' } }: ConnectionUri): TlsWords {
  return { accepted: mode !== 'preferred', checked: 'ssl-mode=verify_identity' };
}

/**
 * What `ssl-mode` asks for; undefined where that is no TLS. Certificates are verified against the authorities that Node trusts, and those in the
 * file that NODE_EXTRA_CA_CERTS names.
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
