import { type ConnectionUri, ConnectionUriError, parseConnectionUri } from './connection-uri.ts';
import { isLoopbackHost } from './loopback.ts';

/** The parameter that controls TLS, its values that skip the certificate check, and those that check it. */
const rules = {
  postgresql: { parameter: 'sslmode', none: 'disable', unchecked: 'require', checked: ['verify-full', 'verify-ca'] },
  mysql: { parameter: 'ssl-mode', none: 'disabled', unchecked: 'required', checked: ['verify_identity', 'verify_ca'] },
} as const;

/**
 * Finds a weakness in the TLS of a connection that leaves this machine, such as `connects to db.internal without TLS`, and
 * the parameter that fixes it. Undefined if the certificate is checked, or if the URI is malformed.
 */
export function findTlsWeakness(text: string): { weakness: string; remedy: string } | undefined {
  const uri = parsed(text);
  if (uri?.host === undefined || uri.type === 'sqlite' || isLoopbackHost(uri.host)) return undefined;
  const { parameter, none, unchecked, checked } = rules[uri.type === 'postgresql' ? 'postgresql' : 'mysql'];
  const mode = uri.parameters[parameter];
  if (checked.some((value) => value === mode)) return undefined;
  const remedy = `${parameter}=${checked[0]}`;
  if (mode === none) return { weakness: `connects to ${uri.host} without TLS`, remedy };
  const how = mode === unchecked ? 'over TLS' : 'over TLS only where the server offers it';
  return { weakness: `connects to ${uri.host} ${how}, and its certificate is not checked`, remedy };
}

/** Undefined if the URI is malformed: other checks report that. */
function parsed(uri: string): ConnectionUri | undefined {
  try {
    return parseConnectionUri(uri);
  } catch (error) {
    if (error instanceof ConnectionUriError) return undefined;
    throw error;
  }
}
