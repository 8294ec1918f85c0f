import { isLoopbackHost } from '../loopback.ts';
import { OptionsError } from './errors.ts';

export interface BaseUrl {
  /** Scheme, host and port. */
  readonly origin: string;
  /** The part before `/api/v2`: empty, or `/a/prefix` without a trailing slash. */
  readonly prefix: string;
}

/**
 * Reads the URL of a workspace service.
 *
 * @param text such as `https://workspace.example.com`, with or without a path prefix and a trailing slash
 * @throws OptionsError, which never repeats the text, since that may contain credentials
 */
export function parseBaseUrl(text: string): BaseUrl {
  const url = URL.parse(text);
  if (url === null) throw wrong('url is not a URL; write it as https://workspace.example.com');
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw wrong(`url begins with ${url.protocol} and must begin with https:// or http://`);
  }
  if (url.username !== '' || url.password !== '') {
    throw wrong('url contains credentials; remove them and pass them as separate options');
  }
  if (url.search !== '' || url.hash !== '') throw wrong('url must not have a query string or a fragment');
  const prefix = url.pathname.replace(/\/+$/, '');
  if (prefix.endsWith('/api/v2')) throw wrong('url must not end in /api/v2, which the client adds to every path');
  return { origin: url.origin, prefix };
}

function wrong(message: string): OptionsError {
  return new OptionsError(message, { option: 'url' });
}

/**
 * True if others on the network can read an API key that is sent to this URL: plain HTTP to another machine. False if
 * the text is not a URL.
 */
export function isPlaintextRemote(url: string): boolean {
  const parsed = URL.parse(url);
  return parsed?.protocol === 'http:' && !isLoopbackHost(parsed.hostname);
}
