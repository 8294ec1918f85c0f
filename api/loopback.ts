/**
 * True if a host is this machine, so that no traffic crosses a network: no other machine can listen on its loopback addresses.
 *
 * @param host a name or an address; IPv4 in dotted decimals, IPv6 as the URL parser shortens it, with or without brackets
 */
export function isLoopbackHost(host: string): boolean {
  return /^(.+\.)?localhost$/i.test(host) || /^127\.[0-9.]+$/.test(host) || /^(::1|\[::1\])$/.test(host);
}
