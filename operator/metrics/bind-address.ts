/** The address to listen on, as `--metrics-bind-address` and its like of other operators take it. */
export interface BindAddress {
  /** Empty: every address of the machine. */
  readonly host: string;
  readonly port: number;
}

/** It is no address. */
export class BindAddressError extends Error {
  override name = 'BindAddressError';
  readonly code = 'ERR_BIND_ADDRESS';
}

/**
 * Reads `:8080`, `127.0.0.1:8080` or `[::1]:8080`; port 0 is any that is free.
 *
 * @returns undefined for `0`, which means not to listen
 * @throws BindAddressError
 */
export function parseBindAddress(text: string): BindAddress | undefined {
  if (text === '0') return undefined;
  const { host, bare, port } =
    /^(?:\[(?<host>[\da-fA-F:.]+)\]|(?<bare>[^:[\]\s/]*)):(?<port>\d{1,5})$/.exec(text)?.groups ?? {};
  if (port === undefined || Number(port) > 65_535) {
    throw new BindAddressError('is no address: write :8080, 127.0.0.1:8080 or [::1]:8080, or 0 for none');
  }
  return { host: host ?? bare ?? '', port: Number(port) };
}
