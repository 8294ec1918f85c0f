import { type ConnectionUri, ConnectionUriError, parseConnectionUri } from '@rolecall/api';
import type { Definition } from '../kinds/definition.ts';
import type { CrossIssue } from './problems.ts';

/** The parameter that decides on TLS, what it may say instead of a check, and the value that checks. */
const rules = {
  postgresql: { parameter: 'sslmode', none: 'disable', unchecked: 'require', checked: ['verify-full', 'verify-ca'] },
  mysql: { parameter: 'ssl-mode', none: 'disabled', unchecked: 'required', checked: ['verify_identity', 'verify_ca'] },
} as const;

/** How many other data sources the warning names. */
const mostNamed = 10;

/**
 * Warns of data sources whose connection leaves this machine without TLS, or with TLS to a server whose certificate is not
 * checked. It is one warning for all of them, since every command that reads definitions shows it.
 */
export function findUncheckedTls(definitions: readonly Definition[]): CrossIssue[] {
  const weak = definitions.flatMap((definition) => {
    if (definition.kind !== 'DataSource') return [];
    const found = findTlsWeakness(definition.spec.uri);
    return found === undefined ? [] : [{ definition, ...found }];
  });
  const [first, ...others] = weak;
  if (first === undefined) return [];
  const names = others.slice(0, mostNamed).map(({ definition }) => definition.metadata.name);
  const more = others.length > mostNamed ? ` and ${others.length - mostNamed} more` : '';
  const rest = others.length === 0 ? '' : `; nor is the TLS checked of ${names.join(', ')}${more}`;
  return [
    {
      severity: 'warning',
      code: 'tls_unchecked',
      path: ['spec', 'uri'],
      at: 'value',
      message: `${first.weakness}${rest}`,
      remedy: `Add ${first.remedy} to the URI.`,
      source: first.definition.source,
    },
  ];
}

/**
 * What is weak about the TLS of a connection that leaves this machine, in words such as `connects to db.internal without TLS`,
 * and the parameter that mends it. Undefined where nothing is, or where the URI is wrong.
 */
export function findTlsWeakness(text: string): { weakness: string; remedy: string } | undefined {
  const uri = parsed(text);
  if (uri?.host === undefined || uri.type === 'sqlite' || isLoopback(uri.host)) return undefined;
  const { parameter, none, unchecked, checked } = rules[uri.type === 'postgresql' ? 'postgresql' : 'mysql'];
  const mode = uri.parameters[parameter];
  if (checked.some((value) => value === mode)) return undefined;
  const remedy = `${parameter}=${checked[0]}`;
  if (mode === none) return { weakness: `connects to ${uri.host} without TLS`, remedy };
  const how = mode === unchecked ? 'over TLS' : 'over TLS only where the server offers it';
  return { weakness: `connects to ${uri.host} ${how}, and its certificate is not checked`, remedy };
}

/** Undefined where the URI is wrong, which its own problem says. */
function parsed(uri: string): ConnectionUri | undefined {
  try {
    return parseConnectionUri(uri);
  } catch (error) {
    if (error instanceof ConnectionUriError) return undefined;
    throw error;
  }
}

/** Nobody else listens on this machine's own addresses. */
const isLoopback = (host: string): boolean =>
  /^(localhost|.+\.localhost)\.?$/i.test(host) || /^(127(\.\d{1,3}){3}|::1)$/.test(host);
