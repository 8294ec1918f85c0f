/** Describes failed calls in terms of what the user has set: the URL, the API key, the certificate. */

import {
  CallError,
  NetworkError,
  ProblemError,
  problems,
  proxyAdvice,
  RedirectError,
  TimeoutError,
  UnexpectedAnswerError,
} from '@rolecall/api';
import type { Connection } from './connection.ts';
import { sourceName } from './id-token.ts';

/**
 * Describes a failed call: what failed, with the setting that it depends on, and the remedy. Neither the operation nor the
 * number of attempts is named: the user asked for a plan, not for `listPeople`.
 */
export function describeCall(error: CallError, connection: Connection): string {
  if (error instanceof ProblemError) return describeRefusal(error, connection);
  if (error instanceof TimeoutError) return describeTimeout(error, connection);
  if (error instanceof NetworkError) return `cannot reach ${placeOf(connection)}: ${reasonOf(error, connection)}`;
  const { method, path, what } = error;
  if (error instanceof UnexpectedAnswerError || error instanceof RedirectError) {
    return `${method} ${path} at ${placeOf(connection)} ${what}`;
  }
  return `the request ${what}`;
}

/** The same for any error of a step: one that is not a failed call has a message of its own. */
export function describeStepError(error: Error, connection: Connection | undefined): string {
  return error instanceof CallError && connection !== undefined ? describeCall(error, connection) : error.message;
}

function placeOf({ url, sources }: Connection): string {
  return `${url} (${sources.url})`;
}

function describeRefusal(error: ProblemError, connection: Connection): string {
  const { status, detail, problem, requestId, what } = error;
  const service = `the service at ${placeOf(connection)}`;
  const { identity } = connection;
  const request = requestId === undefined ? '' : ` (request ${requestId})`;
  const key =
    identity.by === 'key'
      ? `the API key ${identity.keyId} (${identity.sources.keyId})`
      : `the key that it gave for the token (${sourceName(identity.source)})`;
  if (problem === 'token_refused' && identity.by === 'token') {
    const once =
      'A token works once: where a job runs several commands, run eval "$(rolecall keys exchange)" before them';
    return `${service} refused the token (${sourceName(identity.source)}): ${detail}. ${once}${request}`;
  }
  if (status === 401) {
    const why =
      identity.by === 'key'
        ? `it is unknown, revoked or expired, or its secret (${identity.sources.keySecret}) is wrong. Run "rolecall keys list" on the machine of the service to see its keys`
        : 'it has ended or was revoked. Run the command again with a new token';
    return `${service} refused ${key}: ${why}${request}`;
  }
  if (status === 403) {
    const remedy = Object.hasOwn(problems, problem) ? ` ${problems[problem as keyof typeof problems].remedy}` : '';
    return `${service} refused ${key}: ${detail}.${remedy.replace(/\.$/, '')}${request}`;
  }
  return `the request ${what}`;
}

function describeTimeout({ phase, timeoutMs }: TimeoutError, connection: Connection): string {
  const within = `within ${timeoutMs / 1000} s`;
  if (phase === 'connect') {
    return `cannot reach ${placeOf(connection)}: no connection could be made ${within}. Check the address and any firewall on the way`;
  }
  const what = phase === 'headers' ? 'did not answer' : 'did not finish its answer';
  return `the service at ${placeOf(connection)} ${what} ${within}. Check that it is not overloaded, or allow more time with --timeout`;
}

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused. Check that the service is running, and its address',
  ENOTFOUND: 'there is no host with that name. Correct the address',
  EAI_AGAIN: 'the name of the host could not be resolved. Check the network',
  EHOSTUNREACH: 'there is no route to the host. Check the address and the network',
  ENETUNREACH: 'there is no route to its network. Check the network',
  CERT_HAS_EXPIRED: 'its certificate has expired. Renew the certificate of the service',
  CERT_NOT_YET_VALID: 'its certificate is not valid yet. Check the clocks of both machines',
};

const untrusted = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED/;

function reasonOf(error: NetworkError, { url, caFile, sources }: Connection): string {
  const { reason, outcome, cause, hasProxy } = error;
  const proxy = hasProxy && outcome === 'not-sent' ? `. ${proxyAdvice}` : '';
  const explanation = reasons[reason];
  if (explanation !== undefined) return `${explanation}${reason.startsWith('CERT') ? '' : proxy}`;
  if (untrusted.test(reason)) {
    const remedy =
      caFile === undefined
        ? "Give the authority's certificate, in PEM, with --ca-file or ROLECALL_CA_FILE"
        : `The authorities in ${caFile} (${sources.caFile ?? '--ca-file'}) did not sign it`;
    return `its certificate is signed by an authority that is not trusted here. ${remedy}`;
  }
  if (reason === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = namesOf(cause);
    return `its certificate is for ${names ?? 'another host'}. Use one of those names in the address, or renew the certificate`;
  }
  if (/EPROTO|SSL|TLS/.test(reason)) {
    return 'the server does not speak TLS. Check the port, or write http:// if the service speaks plain HTTP';
  }
  if (outcome === 'unknown') {
    const scheme = url.startsWith('http:') ? ' If the service speaks TLS, write https://' : ' Try again';
    return `the connection was cut before the answer arrived.${scheme}`;
  }
  return `no connection could be made${reason === '' ? '' : ` (${reason})`}. Check the address and the network${proxy}`;
}

/** The names in a certificate; undefined where there are too many to print. */
function namesOf(error: unknown): string | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const { cert } = cause as { cert?: { subjectaltname?: unknown } };
    if (typeof cert?.subjectaltname !== 'string') continue;
    const names = cert.subjectaltname.replace(/\b(?:DNS|IP Address):/g, '');
    return /^[\w.*:, -]{1,200}$/.test(names) ? names : undefined;
  }
  return undefined;
}
