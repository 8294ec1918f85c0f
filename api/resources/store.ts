/**
 * The header of every answer to an API key that tells which store the service works with. The identifiers of a store mean nothing in
 * another one, so whoever remembers one remembers the store with it.
 */
export const storeHeader = 'rolecall-store';

const storePattern = /^[!-~]{1,64}$/;

/** Reads the header. @returns undefined for a service without it, and for what is no identity */
export function readStoreHeader(value: string | string[] | undefined): string | undefined {
  return typeof value === 'string' && storePattern.test(value) ? value : undefined;
}
