import { OptionsError } from './errors.ts';

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** What stands before `/api/v2`: empty, or `/a/prefix` without a slash at its end. */
  readonly prefix: string;
}

/**
 * Reads the URL of a workspace service.
 *
 * @param text as `https://workspace.example.com` or with a path prefix, a slash at the end or not
 * @throws OptionsError that never repeats the text, since it may carry credentials
 */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  if (url === null) throw new OptionsError('url is not a URL; write it as https://workspace.example.com');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw new OptionsError(`url begins with ${url.protocol} and must begin with https:// or http://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw new OptionsError('url carries credentials; leave them out and give keyId and keySecret');
  }
  if (url.search !== '' || url.hash !== '') throw new OptionsError('url must not have a query string or a fragment');
  const prefix = url.pathname.replace(/\/+$/, '');
  if (prefix.endsWith('/api/v2')) throw new OptionsError('url must not end in /api/v2, which every path begins with');
  return { origin: url.origin, prefix };
}

/**
 * Whether an API key that is sent to this URL can be read on the way: plain HTTP to a host that is not this machine.
 * False for what is no URL at all.
 */
export function isPlaintextRemote(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopback(parsed.hostname);
}

/** @param host as the URL parser normalises it: an IPv4 address in dotted decimals, an IPv6 address in brackets */
function isLoopback(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost') || host === '[::1]' || /^127\.[0-9.]+$/.test(host);
}
