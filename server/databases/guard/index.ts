import { ADDRCONFIG, type LookupAddress } from 'node:dns';
import { lookup as systemLookup } from 'node:dns/promises';
import { addAbortListener } from 'node:events';
import type { Socket } from 'node:net';
import { isIP } from 'node:net';
import type { ConnectionUri } from '@rolecall/api';
import {
  type Address,
  formatAddress,
  type NetworkRules,
  networkPolicy,
  parseAddress,
  writtenAddresses,
} from '@rolecall/api/networks';
import { type FileRules, findFile } from './files.ts';

declare const admitted: unique symbol;

/** A permitted target of a connection; only a guard makes one. For SQLite, `database` is a path without links. */
export interface Admitted extends ConnectionUri {
  /** The host's addresses when it was resolved, once. A connection goes to one of these, whatever the name means later. */
  readonly addresses: readonly LookupAddress[];
  readonly [admitted]: true;
}

/** Decides where data sources may lead. Every connection goes through it. */
export interface Guard {
  /**
   * Why a data source may not lead there, as far as that can be told without a name server: a host's name is resolved
   * when it is connected to.
   */
  refusal: (uri: ConnectionUri) => Promise<string | undefined>;
  /**
   * Resolves a host's name and leaves the addresses that may be connected to.
   *
   * @throws GuardError, or why the name could not be resolved
   */
  admit: (uri: ConnectionUri, signal: AbortSignal) => Promise<Admitted>;
}

export interface GuardOptions {
  networks?: NetworkRules;
  files?: FileRules;
  /** Gives all addresses of a name; default: the operating system's resolver. */
  lookup?: (host: string) => Promise<LookupAddress[]>;
}

/** A connection was not made, since it is not allowed. */
export class GuardError extends Error {
  override name = 'GuardError';
  readonly code = 'ERR_DENIED';
}

/**
 * @throws NetworkError if the operator's networks are invalid
 */
export function createGuard({ networks = {}, files = {}, lookup = lookupAll }: GuardOptions = {}): Guard {
  const deniedBy = networkPolicy(networks);

  const denial = (address: Address): string | undefined => {
    const network = deniedBy(address);
    if (network === undefined) return undefined;
    return `${formatAddress(address)}, which is in ${network}: this service does not connect there (its operator can allow it with --allow-network)`;
  };
  const admitHost = async (host: string, signal: AbortSignal): Promise<readonly LookupAddress[]> => {
    const family = isIP(host);
    const resolved = family === 0 ? await orAborted(lookup(host), signal, host) : [{ address: host, family }];
    const denials = resolved.map(({ address }) => {
      const parsed = parseAddress(address);
      return parsed === undefined ? `${address}, which is no address` : denial(parsed);
    });
    const allowed = resolved.filter((_, index) => denials[index] === undefined);
    if (allowed.length > 0) return allowed;
    throw new GuardError(`the host ${host} is ${denials[0] ?? 'without an address'}`);
  };

  return {
    refusal: async (uri) => {
      if (uri.host === undefined) {
        const { refusal } = await findFile(uri.database, files);
        return refusal === undefined ? undefined : `names a file that ${refusal}`;
      }
      const denials = writtenAddresses(uri.host).map(denial);
      return denials.length === 0 || denials.includes(undefined) ? undefined : `has the host ${denials.join(', ')}`;
    },
    admit: async (uri, signal) => {
      if (uri.host !== undefined) return admit({ ...uri, addresses: await admitHost(uri.host, signal) });
      const { file, refusal } = await findFile(uri.database, files);
      if (refusal !== undefined) throw new GuardError(`the file ${refusal}`);
      return admit({ ...uri, database: file, addresses: [] });
    },
  };
}

/** The mark exists only in the types, and shows that a guard checked the target. */
function admit(uri: Omit<Admitted, typeof admitted>): Admitted {
  return uri as Admitted;
}

/** Narrows a target to a connection's own address, for another connection to the same server. */
export function atSameAddress(uri: Admitted, { remoteAddress, remoteFamily }: Socket): Admitted {
  if (remoteAddress === undefined) return uri;
  return { ...uri, addresses: [{ address: remoteAddress, family: remoteFamily === 'IPv6' ? 6 : 4 }] };
}

/** The same flags as for Node's own connections. */
function lookupAll(host: string): Promise<LookupAddress[]> {
  return systemLookup(host, { all: true, hints: process.platform === 'win32' ? 0 : ADDRCONFIG });
}

/** The system's resolver cannot be cancelled, so it is left to end by itself. */
async function orAborted<T>(work: Promise<T>, signal: AbortSignal, host: string): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>();
  const abort = (): void => {
    const reason: unknown = signal.reason;
    const isLate = reason instanceof Error && 'code' in reason && reason.code === 'ERR_DEADLINE';
    reject(isLate ? new Error(`${reason.message}: the name ${host} was not resolved`) : (reason as Error));
  };
  work.catch(() => undefined);
  signal.throwIfAborted();
  using _abort = addAbortListener(signal, abort);
  return await Promise.race([work, aborted]);
}
