import {
  AbortedError,
  AnswerTooLargeError,
  type CallContext,
  type CallError,
  ClosedError,
  NetworkError,
  TimeoutError,
  type TimeoutPhase,
  UnexpectedAnswerError,
} from './errors.ts';
import type { Settings } from './options.ts';
import { proxyAdvice } from './proxies.ts';
import { answerTimeoutCode, type Exchanged, tooLargeCode } from './transport.ts';

type Failed = Extract<Exchanged, { ok: false }>;

const timeoutPhases: Readonly<Record<string, TimeoutPhase>> = {
  UND_ERR_CONNECT_TIMEOUT: 'connect',
  UND_ERR_HEADERS_TIMEOUT: 'headers',
  UND_ERR_BODY_TIMEOUT: 'body',
  [answerTimeoutCode]: 'answer',
};

const ofCertificates = /CERT|TLS|SSL|SELF_SIGNED|EPROTO|LEAF_SIGNATURE/;

const untrusted = /SELF_SIGNED|UNABLE_TO_(?:GET_ISSUER|VERIFY_LEAF)|CERT_UNTRUSTED/;

const explanations: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'the connection was refused. Check the URL and that the service is running',
  ENOTFOUND: 'the host does not exist. Check the URL',
  EAI_AGAIN: 'the host name could not be looked up. Check the network',
  ERR_DENIED: 'the host leads to an address that this process may not connect to. Check the URL',
  EHOSTUNREACH: 'the host cannot be reached. Check the network',
  ENETUNREACH: 'the network cannot be reached. Check the network',
  ERR_TLS_CERT_ALTNAME_INVALID:
    "the service's certificate is not for this host. Write the name that it is for into the URL, or have one made for this one",
  CERT_HAS_EXPIRED: "the service's certificate has expired. Renew it",
};

/** Turns an exchange without an answer into an error. */
export function failureOf(context: CallContext, failed: Failed, settings: Settings): CallError {
  const { sent, status, aborted, cause } = failed;
  const { base, timeouts, maxAnswerBytes } = settings;
  const hasProxy = settings.proxy !== undefined;
  const outcome = sent ? 'unknown' : 'not-sent';
  if (aborted) return new AbortedError(context, outcome, cause);
  const reason = codeOf(cause);
  const phase = timeoutPhases[reason];
  if (phase !== undefined) return new TimeoutError(context, phase, timeouts[`${phase}Ms`], base.origin, cause);
  if (reason === 'UND_ERR_CLOSED' || reason === 'UND_ERR_DESTROYED') return new ClosedError(context);
  if (reason === tooLargeCode) {
    const what = `it is larger than ${maxAnswerBytes} bytes, the client's limit (maxAnswerBytes), or takes more memory than this client may use`;
    return new AnswerTooLargeError(context, what, { status: status ?? 0, contentType: '' });
  }
  // Not kept as the cause: it quotes what was received, which may contain a password.
  if (cause instanceof Error && cause.name === 'HTTPParserError') {
    const what = `${base.origin} does not speak HTTP as expected. Check the URL and its scheme`;
    return new UnexpectedAnswerError(context, what, { status: status ?? 0, contentType: '' });
  }
  const answered = proxyStatus(cause);
  if (answered !== undefined) {
    const what = `failed at ${base.origin}: the proxy answered ${answered}. ${proxyRemedy(answered)}`;
    return new NetworkError(context, what, `PROXY_${answered}`, 'not-sent', cause, hasProxy);
  }
  const what = describe(reason, failed, settings);
  const advice = hasProxy && isOfEitherHost(reason, failed) ? `. ${proxyAdvice}` : '';
  return new NetworkError(context, what + advice, reason, outcome, cause, hasProxy);
}

/** undici tells only in words that a proxy refused, and with which status: a request, or a tunnel. */
const refusedByProxy = /Proxy (?:Authentication Required|response) \((\d{3})\)/;

function proxyStatus(cause: unknown): number | undefined {
  const status = cause instanceof Error ? refusedByProxy.exec(cause.message)?.[1] : undefined;
  return status === undefined ? undefined : Number(status);
}

function proxyRemedy(status: number): string {
  if (status !== 407) return 'Check whether it may connect to this host, or name the host in NO_PROXY';
  return 'It wants a user and a password: write them into the URL in HTTPS_PROXY or HTTP_PROXY, as in http://user:password@proxy.example.com:3128';
}

function describe(reason: string, { sent, status }: Failed, { base: { origin }, ca, caFile }: Settings): string {
  const shown = reason === '' ? '' : ` (${reason})`;
  const failure = `failed at ${origin}${shown}: `;
  if (status !== undefined) return `${failure}the connection was cut while the answer was being read. Try again`;
  if (sent) return `${failure}the connection was cut before an answer came. Check whether the call was done`;
  const explained = explanations[reason];
  if (explained !== undefined) return failure + explained;
  if (ca !== undefined && untrusted.test(reason)) {
    const given =
      caFile === undefined ? 'given certificate authorities' : `certificate authorities in caFile ${caFile}`;
    return `${failure}none of the ${given} signed the service's certificate. Check the URL, or give the authority that signed it`;
  }
  if (ofCertificates.test(reason)) {
    return `${failure}the TLS connection failed. Check the URL's scheme and the service's certificate, or pass its certificate authority as caFile`;
  }
  return `${failure}the connection failed. Check the URL and the network`;
}

/** True if a connection failed before it reached the service, which only certificates tell. */
function isOfEitherHost(reason: string, { sent }: Failed): boolean {
  return !sent && !ofCertificates.test(reason);
}

/** The first code in the chain of causes. */
function codeOf(error: unknown): string {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    if ('code' in cause && typeof cause.code === 'string') return cause.code;
  }
  return '';
}
