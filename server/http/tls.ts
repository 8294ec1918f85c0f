import { constants, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createSecureContext, type SecureContextOptions } from 'node:tls';

/** Files of the service's certificate and its key, both in PEM. */
export interface TlsFiles {
  /** The certificate, followed by its chain. */
  certFile: string;
  keyFile: string;
}

/** A certificate and the key that belongs to it. */
export interface TlsPair {
  readonly cert: string;
  readonly key: string;
  readonly expiresAt: Date;
}

/** A certificate or its key cannot be used; the message names the file and never quotes it. */
export class TlsError extends Error {
  override name = 'TlsError';
  readonly code: 'ERR_TLS_CERTIFICATE' | 'ERR_TLS_KEY';
  constructor(code: TlsError['code'], message: string, cause?: unknown) {
    super(message, { cause });
    this.code = code;
  }
}

/** TLS 1.0 and 1.1 are not to be used any more (RFC 8996). */
const minVersion = 'TLSv1.2';
const ciphers = [
  'TLS_AES_256_GCM_SHA384',
  'TLS_CHACHA20_POLY1305_SHA256',
  'TLS_AES_128_GCM_SHA256',
  'ECDHE+AESGCM',
  'ECDHE+CHACHA20',
].join(':');

/** @throws TlsError where a file cannot be read, holds something else, or the two do not belong together */
export async function loadTlsPair({ certFile, keyFile }: TlsFiles): Promise<TlsPair> {
  const cert = await readPem(certFile, 'ERR_TLS_CERTIFICATE');
  const key = await readPem(keyFile, 'ERR_TLS_KEY');
  const certificate = parse(certFile, 'ERR_TLS_CERTIFICATE', 'holds no certificate in PEM', () => {
    return new X509Certificate(cert);
  });
  const privateKey: KeyObject = parse(keyFile, 'ERR_TLS_KEY', 'holds no private key in PEM without a passphrase', () =>
    createPrivateKey(key),
  );
  if (!certificate.checkPrivateKey(privateKey)) {
    throw new TlsError('ERR_TLS_KEY', `${keyFile} is not the key of the first certificate in ${certFile}`);
  }
  const pair = { cert, key, expiresAt: certificate.validToDate };
  parse(certFile, 'ERR_TLS_CERTIFICATE', 'cannot be used', () => createSecureContext(secureContext(pair)));
  return pair;
}

/**
 * TLS settings for Node. Its own list for TLS 1.2 still has suites without forward secrecy (static RSA) and with CBC, whose
 * padding has been attacked again and again. Where a client may renegotiate, one connection can ask for any number of handshakes.
 */
export function secureContext({ cert, key }: TlsPair): SecureContextOptions {
  const secureOptions = constants.SSL_OP_NO_RENEGOTIATION;
  return { cert, key, minVersion, ciphers, honorCipherOrder: true, secureOptions };
}

async function readPem(file: string, code: TlsError['code']): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    const reason = error instanceof Error && 'code' in error ? String(error.code) : 'for an unknown reason';
    throw new TlsError(code, `${file} cannot be read: ${reason}`, error);
  }
}

/** Replaces OpenSSL's messages, which name places in its source and not the fault of the file. */
function parse<T>(file: string, code: TlsError['code'], fault: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    throw new TlsError(code, `${file} ${fault}`, error);
  }
}
