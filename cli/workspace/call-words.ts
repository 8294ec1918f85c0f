/** What went wrong between the command line and the service, in terms of what somebody has set. */

import { type CallError, NetworkError, ProblemError, problems, TimeoutError } from '@rolecall/api';
import type { Connection } from './connection.ts';

/**
 * Words a call that failed because of the address, the network, the certificate or the key.
 *
 * @returns undefined where the call itself matters, as where a change may have been made: then its own message says more
 */
export function describeCall(error: CallError, connection: Connection): string | undefined {
  if (error instanceof ProblemError) return describeRefusal(error, connection);
  // Whether something was changed is for the error itself to say.
  if (error.method !== 'GET' && error.outcome !== 'not-sent') return undefined;
  if (error instanceof TimeoutError) return describeSilence(error, connection);
  if (error instanceof NetworkError) return `cannot reach ${placeOf(connection)}: ${reasonOf(error, connection)}`;
  return undefined;
}

function placeOf({ url, sources }: Connection): string {
  return `${url} (${sources.url})`;
}

function describeRefusal(
  { status, detail, problem, requestId }: ProblemError,
  connection: Connection,
): string | undefined {
  const { keyId, sources } = connection;
  const key = `the API key ${keyId} (${sources.keyId})`;
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  if (status === 401) {
    return `the service at ${placeOf(connection)} refused ${key}: it is unknown, revoked or expired, or its secret (${sources.keySecret}) is wrong. "rolecall keys list", run where the service's data is, shows its keys${request}`;
  }
  if (status !== 403) return undefined;
  const remedy = Object.hasOwn(problems, problem) ? ` ${problems[problem as keyof typeof problems].remedy}` : '';
  return `the service at ${placeOf(connection)} refused ${key}: ${detail}.${remedy.replace(/\.$/, '')}${request}`;
}

function describeSilence({ phase, timeoutMs }: TimeoutError, connection: Connection): string {
  const within = `within ${timeoutMs / 1000} s`;
  if (phase === 'connect') {
    return `cannot reach ${placeOf(connection)}: no connection could be made ${within}. Check the address, and that no firewall stands between`;
  }
  const what = phase === 'headers' ? 'did not answer' : 'did not end its answer';
  return `the service at ${placeOf(connection)} ${what} ${within}. Check that it is not overloaded, or give it more time with --timeout`;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused. Is the service running there?',
  ENOTFOUND: 'there is no host of that name. Correct the address',
  EAI_AGAIN: 'the name of the host could not be looked up. Check the network',
  EHOSTUNREACH: 'there is no route to the host. Check the address and the network',
  ENETUNREACH: 'there is no route to its network. Check the network',
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew the certificate of the service',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Check the clocks of both machines',
};

const untrusted = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED/;

function reasonOf({ reason, outcome, cause }: NetworkError, { url, caFile, sources }: Connection): string {
  const known = reasons[reason];
  if (known !== undefined) return known;
  if (untrusted.test(reason)) {
    const remedy =
      caFile === undefined
        ? "Give the authority's certificate, in PEM, with --ca-file or ROLECALL_CA_FILE"
        : `The authorities in ${caFile} (${sources.caFile ?? '--ca-file'}) did not sign it`;
    return `its certificate is signed by an authority that is not trusted here. ${remedy}`;
  }
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = namesOf(cause);
    return `its certificate is for ${names ?? 'another host'}. Write a name into the address that the certificate has, or renew the certificate`;
  }
  if (/EPROTO|SSL|TLS/.test(reason)) {
    return 'what listens there does not speak TLS. Check the port, or write http:// if the service speaks plain HTTP';
  }
  if (outcome === 'unknown') {
    const scheme = url.startsWith('http:') ? ' If the service speaks TLS, write https://' : ' Try again';
    return `the connection was cut before the answer was there.${scheme}`;
  }
  return `no connection could be made${reason === '' ? '' : ` (${reason})`}. Check the address and the network`;
}

/** The names of a certificate, where they are few and plain. */
function namesOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { cert } = cause as { cert?: { subjectaltname?: unknown } };
    if (typeof cert?.subjectaltname !== 'string') continue;
    const names = cert.subjectaltname.replace(/\b(?:DNS|IP Address):/g, '');
    return /^[\w.*:, -]{1,200}$/.test(names) ? names : undefined;
  }
  return undefined;
}
