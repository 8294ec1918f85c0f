/** A year: the least that lists of such hosts take. */
const hstsSeconds = 365 * 24 * 3600;

/**
 * Headers that tell browsers, unless a route says otherwise: the answer is no page, nothing may frame or keep it, and its address
 * goes nowhere.
 *
 * @param isHttps true if browsers reach the service by https, so that they may refuse plain HTTP from now on
 */
export function securityHeaders(isHttps: boolean): Readonly<Record<string, string>> {
  return {
    // Answers say who reaches what, and may carry passwords: proxies must not keep them.
    'cache-control': 'no-store',
    'content-security-policy': "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    'referrer-policy': 'no-referrer',
    'x-content-type-options': 'nosniff',
    ...(isHttps ? { 'strict-transport-security': `max-age=${hstsSeconds}; includeSubDomains` } : {}),
  };
}
