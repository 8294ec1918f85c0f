import { formatConnectionUri, readConnectionUri } from '@rolecall/api';

/** Connection of a data source, without its password. */
export interface Connection {
  /** Of the data source. */
  readonly id: string;
  /** The whole connection URI, without its password. */
  readonly uri: string;
  readonly hasPassword: boolean;
}

/**
 * Takes the password out of a data source's detail. A URI that cannot be read stays out as a whole: part of it may be the password.
 *
 * @throws ConnectionUriError
 */
export function splitConnection({ id, configUri }: { readonly id: string; readonly configUri: string }): {
  connection: Connection;
  password: string | undefined;
} {
  const { password, ...uri } = readConnectionUri(configUri);
  return { connection: { id, uri: formatConnectionUri(uri), hasPassword: password !== undefined }, password };
}
