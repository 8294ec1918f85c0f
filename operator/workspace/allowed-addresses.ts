/** The addresses that Workspaces may name. The people who choose them reach less than the operator's pod does. */

import { lookup as systemLookup } from 'node:dns';
import type { LookupFunction } from 'node:net';
import { parseBaseUrl } from '@rolecall/api';
import {
  formatAddress,
  type NetworkRules,
  networkPolicy,
  parseAddress,
  writtenAddresses,
} from '@rolecall/api/networks';

export interface AddressRules extends NetworkRules {
  /** The only services that Workspaces may name, by their URLs; absent: any. */
  readonly urls?: readonly string[] | undefined;
}

export interface AllowedAddresses {
  /** Why a Workspace may not name a URL, as far as that can be told without a name server. */
  readonly refusal: (url: string) => string | undefined;
  /** Resolves a name to the addresses that may be connected to, for each connection: a name may mean something else later. */
  readonly lookup: LookupFunction;
}

/**
 * @throws OptionsError where a URL is not valid
 * @throws NetworkError where a network is not valid
 */
export function allowAddresses({ urls, ...networks }: AddressRules): AllowedAddresses {
  const deniedBy = networkPolicy(networks);
  const services = urls?.map(normalized);
  const isDenied = (text: string): boolean => {
    const address = parseAddress(text);
    return address === undefined || deniedBy(address) !== undefined;
  };
  return {
    refusal: (url) => {
      if (services?.includes(normalized(url)) === false)
        return 'this operator does not serve the workspace at that URL';
      const { hostname } = new URL(url);
      const written = writtenAddresses(hostname.replace(/^\[|\]$/g, ''));
      const [first] = written;
      if (first === undefined || written.some((address) => deniedBy(address) === undefined)) return undefined;
      return `its host is ${formatAddress(first)}, to which this operator does not connect`;
    },
    lookup: (host, options, done) => {
      systemLookup(host, { ...options, all: true }, (error, addresses) => {
        const allowed = error === null ? addresses.filter(({ address }) => !isDenied(address)) : [];
        const [first] = allowed;
        if (error !== null) done(error, []);
        else if (first === undefined)
          done(Object.assign(new Error(`this operator does not connect to ${host}`), { code: 'ERR_DENIED' }), []);
        else if (options.all === true) done(null, allowed);
        else done(null, first.address, first.family);
      });
    },
  };
}

/** A URL as others that mean the same service are written. @throws OptionsError */
function normalized(url: string): string {
  const { origin, prefix } = parseBaseUrl(url);
  return `${origin}${prefix}`;
}
