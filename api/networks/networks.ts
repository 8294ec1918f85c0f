import { type Address, carriedAddress, formatAddress, parseAddress } from './address.ts';

/** Rules for networks, each as in 10.0.0.0/8, or one address. */
export interface NetworkRules {
  denied?: readonly string[];
  allowed?: readonly string[];
}

/** A network is invalid. */
export class NetworkError extends Error {
  override name = 'NetworkError';
  readonly code = 'ERR_NETWORK';
}

interface Network {
  address: Address;
  /** Length of the prefix, in bits. */
  length: number;
}

/** The higher the rank, the sooner it wins over a network of the same size. */
interface Rule extends Network {
  denied: boolean;
  rank: number;
}

/**
 * Denied unless the operator allows them: on the service's machine, and in clouds, these addresses trust every client, and some
 * hand out credentials.
 */
const deniedByDefault = [
  // The service's own machine.
  ...['127.0.0.0/8', '::1/128'],
  // "This host", which most systems take for loopback.
  ...['0.0.0.0/8', '::/128'],
  // Link-local; metadata of AWS, Azure, Google Cloud, Oracle and others.
  ...['169.254.0.0/16', 'fe80::/10'],
  // Metadata of AWS, Google Cloud and Oracle by IPv6, of Alibaba, of Oracle's first generation; Azure's host.
  ...['fd00:ec2::/32', 'fd20:ce::254/128', 'fd00:c1::a9fe:a9fe/128'],
  ...['100.100.100.200/32', '192.0.0.192/32', '168.63.129.16/32'],
  // Multicast, reserved and broadcast; the network's own NAT64, which may lead to any of these.
  ...['224.0.0.0/4', '240.0.0.0/4', 'ff00::/8', '64:ff9b:1::/48'],
] as const;

/**
 * Reads a network in CIDR notation, or one address.
 *
 * @throws NetworkError with the remedy
 */
export function parseNetwork(text: string): Network {
  const [, host = '', prefix] = /^([^/]*)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const address = parseAddress(host);
  if (address === undefined) throw new NetworkError('is no network: write it as 10.0.0.0/8, fd00::/8, or one address');
  // An IPv4 network that is written as IPv6.
  const offset = address.bits === 32 && host.includes(':') ? 96 : 0;
  const length = prefix === undefined ? address.bits : Number(prefix) - offset;
  if (length < 0 || length > address.bits) {
    throw new NetworkError(`must have a prefix from ${offset} to ${address.bits + offset}`);
  }
  const base = { ...address, value: (address.value >> hostBits(address, length)) << hostBits(address, length) };
  if (base.value !== address.value) {
    throw new NetworkError(`is an address in a network: write the network as ${formatAddress(base)}/${length}`);
  }
  return { address, length };
}

/**
 * Makes a function that finds denied addresses. The smallest network that contains an address decides. Among networks of the same
 * size, the operator's denials win over the operator's permissions, and these over the defaults. An address in no network is
 * allowed.
 *
 * @returns the network that an address is denied for, or undefined; the IPv4 address that an IPv6 address carries
 *   counts too
 * @throws NetworkError
 */
export function networkPolicy({ denied = [], allowed = [] }: NetworkRules): (address: Address) => string | undefined {
  const rules = [
    ...denied.map((text) => ruleOf(text, true, 3)),
    ...allowed.map((text) => ruleOf(text, false, 2)),
    ...deniedByDefault.map((text) => ruleOf(text, true, 1)),
  ].sort((a, b) => b.length - a.length || b.rank - a.rank);
  const deniedBy = (address: Address): string | undefined => {
    const rule = rules.find((candidate) => contains(candidate, address));
    return rule?.denied === true ? `${formatAddress(rule.address)}/${rule.length}` : undefined;
  };
  return (address) => {
    const carried = carriedAddress(address);
    return deniedBy(address) ?? (carried === undefined ? undefined : deniedBy(carried));
  };
}

function ruleOf(text: string, denied: boolean, rank: number): Rule {
  return { ...parseNetwork(text), denied, rank };
}

function contains({ address, length }: Network, { bits, value }: Address): boolean {
  if (address.bits !== bits) return false;
  const shift = hostBits(address, length);
  return value >> shift === address.value >> shift;
}

function hostBits({ bits }: Address, length: number): bigint {
  return BigInt(bits - length);
}
