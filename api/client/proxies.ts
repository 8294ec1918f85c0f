import { isLoopbackHost } from '../loopback.ts';
import type { BaseUrl } from './base-url.ts';
import { OptionsError } from './errors.ts';

/** Values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY; an empty text counts as none. */
export interface Proxies {
  readonly http?: string | undefined;
  readonly https?: string | undefined;
  /** Hosts and domains that are reached without a proxy, between commas; `*` for all. */
  readonly except?: string | undefined;
}

/** Advice for a failed connection through a proxy: the code of the system does not say which host failed. */
export const proxyAdvice = 'Check the proxy that HTTPS_PROXY or HTTP_PROXY names too, unless NO_PROXY has this host';

/** The proxy for one service. */
export interface Proxy {
  readonly url: string;
  readonly except: string;
}

/**
 * Chooses the proxy for a service, as Go's programs do: by its scheme, and none for this machine.
 *
 * @throws OptionsError, which never repeats the proxy's URL, since that may contain credentials
 */
export function proxyFor({ origin }: BaseUrl, { http, https, except = '' }: Proxies = {}): Proxy | undefined {
  const { protocol, hostname } = new URL(origin);
  const [given, name] = protocol === 'https:' ? [https, 'HTTPS_PROXY'] : [http, 'HTTP_PROXY'];
  if (given === undefined || given === '' || isLoopbackHost(hostname)) return undefined;
  const url = URL.parse(given.includes('://') ? given : `http://${given}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw new OptionsError(`${name} is not the URL of an HTTP proxy; write it as http://proxy.example.com:3128`);
  }
  return { url: url.href, except };
}
