import type { Operation, Route } from '../route.ts';
import type { CallOptions } from './call-options.ts';
import { type CallError, NetworkError, TimeoutError, UnexpectedAnswerError } from './errors.ts';
import type { Settings } from './options.ts';
import { ProblemError } from './problem-error.ts';

/** Queries run at most once and are never retried, not even if it would be safe. */
const neverRepeated: ReadonlySet<string> = new Set(['executeCommands', 'executeInEditor']);

/** A POST that changes nothing, for a body that no URL could hold. */
const readsByPost: ReadonlySet<string> = new Set(['compareSnapshot']);

/** Properties of a call that decide whether it is retried. */
export interface Repeatable {
  readonly operation: Operation & Pick<Route, 'creates'>;
  readonly settings: Settings;
  readonly options: Pick<CallOptions, 'idempotencyKey'>;
}

const passingStatuses: ReadonlySet<number> = new Set([429, 502, 503, 504]);

/** Temporary connection failures. A wrong host name or certificate stays wrong. */
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
  'PROXY_429',
  'PROXY_502',
  'PROXY_503',
  'PROXY_504',
  'UND_ERR_SOCKET',
]);

/**
 * Returns how long to wait before the retry, in milliseconds, or undefined for no retry.
 *
 * The pause is random, up to a bound that doubles with each attempt (full jitter): clients that failed together should not
 * come back together. It is added to the service's Retry-After.
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
 * True if a retry is safe and may help. GET, PUT and DELETE are idempotent. A POST that changes something is retried
 * only if the service certainly did nothing (it was never sent, or the service said so), or if it creates something
 * under an Idempotency-Key.
 */
function mayRepeat({ operation, options: { idempotencyKey } }: Repeatable, error: CallError): boolean {
  if (neverRepeated.has(error.operationId)) return false;
  const repeatable =
    operation.method !== 'POST' ||
    readsByPost.has(error.operationId) ||
    (idempotencyKey !== undefined && operation.creates === true);
  if (error instanceof ProblemError) {
    return repeatable ? passingStatuses.has(error.status) : error.status === 429 || error.status === 503;
  }
  if (error instanceof UnexpectedAnswerError) return repeatable && passingStatuses.has(error.status);
  // An answer that trickled this long would trickle again.
  if (error instanceof TimeoutError && error.phase === 'answer') return false;
  if (error instanceof TimeoutError) return repeatable || error.phase === 'connect';
  if (error instanceof NetworkError) {
    return error.outcome === 'not-sent' ? passingReasons.has(error.reason) : repeatable;
  }
  return false;
}
