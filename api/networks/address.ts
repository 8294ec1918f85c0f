import { isIP } from 'node:net';

/** An IP address as a number. An IPv4 address that is written as IPv6 (::ffff:10.0.0.1) is the IPv4 address. */
export interface Address {
  bits: 32 | 128;
  value: bigint;
}

/**
 * Reads an address in the usual spellings.
 *
 * @returns undefined for anything else, including names
 */
export function parseAddress(text: string): Address | undefined {
  switch (isIP(text)) {
    case 4:
      return { bits: 32, value: fromGroups(text.split('.').map(Number), 8n) };
    case 6:
      return unmapped(fromGroups(groupsOf(text), 16n));
    default:
      return undefined;
  }
}

/**
 * Reads what the operating system accepts as an IPv4 address without a name server: 2130706433, 0x7f.1 and 0177.0.0.1 are all
 * 127.0.0.1. The rules are those of the C library and of the URL Standard ("IPv4 parser").
 */
export function parseNumericHost(host: string): Address | undefined {
  if (!/^(0x[\da-f]*|\d+)$/i.test(host.replace(/\.$/, '').split('.').at(-1) ?? '')) return undefined;
  const url = `http://${host}/`;
  return URL.canParse(url) ? parseAddress(new URL(url).hostname) : undefined;
}

/** Writes an address as text. */
export function formatAddress({ bits, value }: Address): string {
  const size = bits === 32 ? 8n : 16n;
  const groups: bigint[] = [];
  for (let shift = BigInt(bits) - size; shift >= 0n; shift -= size) groups.push((value >> shift) & ((1n << size) - 1n));
  if (bits === 32) return groups.join('.');
  return new URL(`http://[${groups.map((group) => group.toString(16)).join(':')}]/`).hostname.slice(1, -1);
}

/** IPv6 prefixes that carry an IPv4 address: the prefix, its length, and the number of bits after the IPv4 address. */
const carriers: readonly { prefix: bigint; length: bigint; after: bigint; inverted?: boolean }[] = [
  // NAT64 (RFC 6052), translated and compatible addresses (RFC 2765, RFC 4291), 6to4 (RFC 3056), Teredo (RFC 4380).
  { prefix: 0x0064_ff9b_0000_0000_0000_0000n, length: 96n, after: 0n },
  { prefix: 0xffff_0000n, length: 96n, after: 0n },
  { prefix: 0n, length: 96n, after: 0n },
  { prefix: 0x2002n, length: 16n, after: 80n },
  { prefix: 0x2001_0000n, length: 32n, after: 0n, inverted: true },
];

/** The IPv4 address to which traffic for an IPv6 address may go. */
export function carriedAddress({ bits, value }: Address): Address | undefined {
  // :: and ::1 are addresses of their own.
  if (bits === 32 || value <= 1n) return undefined;
  const carrier = carriers.find(({ prefix, length }) => value >> (128n - length) === prefix);
  if (carrier === undefined) return undefined;
  const carried = (value >> carrier.after) & 0xffff_ffffn;
  return { bits: 32, value: carrier.inverted === true ? carried ^ 0xffff_ffffn : carried };
}

function unmapped(value: bigint): Address {
  return value >> 32n === 0xffffn ? { bits: 32, value: value & 0xffff_ffffn } : { bits: 128, value };
}

/** The eight groups of an IPv6 address. The URL parser writes them without an IPv4 part, and with at most one ::. */
function groupsOf(text: string): number[] {
  const plain = new URL(`http://[${text.replace(/%.*$/, '')}]/`).hostname.slice(1, -1);
  const [head = '', tail] = plain.split('::');
  const [front, behind] = [head, tail ?? ''].map((part) => (part === '' ? [] : part.split(':')));
  const groups = [...(front ?? []), ...(behind ?? [])];
  const zeros = Array.from({ length: 8 - groups.length }, () => '0');
  return [...(front ?? []), ...zeros, ...(behind ?? [])].map((group) => Number.parseInt(group, 16));
}

function fromGroups(groups: readonly number[], size: bigint): bigint {
  return groups.reduce((value, group) => (value << size) | BigInt(group), 0n);
}

/** The addresses that a host names without a name server; RFC 6761 has localhost be loopback. */
export function writtenAddresses(host: string): Address[] {
  const names = /^(.+\.)?localhost\.?$/i.test(host) ? ['127.0.0.1', '::1'] : [host];
  return names.map((name) => parseAddress(name) ?? parseNumericHost(name)).filter((address) => address !== undefined);
}
