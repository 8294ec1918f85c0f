import { type ConnectionUri, ConnectionUriError, isLoopbackHost, parseConnectionUri } from '@rolecall/api';
import { StoreUnavailableError, StoreUrlError } from '../errors.ts';

/**
 * Takes the URL of a store's database apart. Where it says nothing of TLS, a server on another machine has to have a valid
 * certificate: everything that the service knows goes to it, the password first.
 *
 * @param url `postgresql://user:password@host:port/database`, with the parameters that data sources take
 * @throws StoreUrlError
 */
export function parseStoreUrl(url: string): ConnectionUri {
  const uri = parse(url);
  return demandsTls(uri) ? { ...uri, parameters: { ...uri.parameters, sslmode: 'verify-full' } } : uri;
}

/** Adds what to do about a server without a valid certificate, where only the default demands one. */
export function explainTls(error: unknown, url: string): unknown {
  if (!(error instanceof StoreUnavailableError) || !demandsTls(parse(url))) return error;
  if (!/certificate|altnames|SSL connections/i.test(error.message)) return error;
  return new StoreUnavailableError(
    `${error.message}. The URL has no sslmode, so the server must have a valid certificate for its name. Trust its authority (NODE_EXTRA_CA_CERTS), or choose: sslmode=require does not check the certificate, sslmode=disable does without TLS`,
    { cause: error },
  );
}

function demandsTls({ host = '', parameters: { sslmode = 'prefer' } }: ConnectionUri): boolean {
  // `prefer` is the default, and leaves the decision to anyone in between.
  return sslmode === 'prefer' && !isLoopbackHost(host);
}

function parse(url: string): ConnectionUri {
  try {
    const uri = parseConnectionUri(url);
    if (uri.type === 'postgresql') return uri;
    throw new ConnectionUriError('must begin with postgresql://');
  } catch (error) {
    if (!(error instanceof ConnectionUriError)) throw error;
    throw new StoreUrlError(`the URL of the store's database ${error.message}`);
  }
}
