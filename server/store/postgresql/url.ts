import { type ConnectionUri, ConnectionUriError, parseConnectionUri } from '@rolecall/api';
import { StoreUrlError } from '../errors.ts';

/**
 * Takes the URL of a store's database apart.
 *
 * @param url `postgresql://user:password@host:port/database`, with the parameters that data sources take
 * @throws StoreUrlError
 */
export function parseStoreUrl(url: string): ConnectionUri {
  try {
    const uri = parseConnectionUri(url);
    if (uri.type === 'postgresql') return uri;
    throw new ConnectionUriError('must begin with postgresql://');
  } catch (error) {
    if (!(error instanceof ConnectionUriError)) throw error;
    throw new StoreUrlError(`the URL of the store's database ${error.message}`);
  }
}
