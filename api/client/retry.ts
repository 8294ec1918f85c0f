import type { Route } from '../route.ts';
import type { OperationId } from '../routes.ts';
import type { CallOptions } from './call-options.ts';
import { type CallError, NetworkError, ProblemError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { Settings } from './options.ts';

/** Queries run at most once and are never retried, not even when it would be safe. */
const neverRepeated: ReadonlySet<OperationId> = new Set(['executeCommands']);

/** What of a call decides whether it is tried again. */
export interface Repeatable {
  readonly route: Route;
  readonly settings: Settings;
  readonly options: Pick<CallOptions, 'idempotencyKey'>;
}

const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Failures to connect that pass by themselves; a wrong name or certificate does not. */
const passingReasons: ReadonlySet<string> = new Set([
  'EAI_AGAIN',
  'ECONNABORTED',
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETDOWN',
  'ENETUNREACH',
  'EPIPE',
  'ETIMEDOUT',
  'UND_ERR_SOCKET',
]);

/**
 * How long to wait before the call is tried again, in milliseconds; undefined means that it is not.
 *
 * The pause doubles with each attempt and is drawn between nothing and that bound (full jitter), so that clients which
 * failed together do not come back together. What the service asks for with Retry-After comes first, and the drawn
 * pause on top.
 */
export function retryDelay(call: Repeatable, error: CallError): number | undefined {
  const { settings } = call;
  const { attempts, baseDelayMs, maxDelayMs, maxRetryAfterMs } = settings.retries;
  if (error.attempts >= attempts || !mayRepeat(call, error)) return undefined;
  const asked = error.retryAfterMs ?? 0;
  if (asked > maxRetryAfterMs) return undefined;
  return asked + settings.random() * Math.min(maxDelayMs, baseDelayMs * 2 ** (error.attempts - 1));
}

/**
 * Whether a second try can do no harm and may help. GET, PUT and DELETE do the same however often they are sent. A POST
 * is repeated only when the service surely did nothing (it was never sent, or the service itself said so), or when it
 * makes something under an Idempotency-Key.
 */
function mayRepeat({ route, options: { idempotencyKey } }: Repeatable, error: CallError): boolean {
  if (neverRepeated.has(error.operationId)) return false;
  const repeatable = route.method !== 'POST' || (idempotencyKey !== undefined && route.creates === true);
  if (error instanceof ProblemError) {
    return repeatable ? passingStatuses.has(error.status) : error.status === 429 || error.status === 503;
  }
  if (error instanceof UnexpectedAnswerError) return repeatable && passingStatuses.has(error.status);
  // What trickled for so long would trickle again.
  if (error instanceof TimeoutError && error.phase === 'answer') return false;
  if (error instanceof TimeoutError) return repeatable || error.phase === 'connect';
  if (error instanceof NetworkError) {
    return error.outcome === 'not-sent' ? passingReasons.has(error.reason) : repeatable;
  }
  return false;
}
