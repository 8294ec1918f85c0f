import { emptyObject } from '../fields.ts';
import { readStoreHeader, storeHeader } from '../resources/store.ts';
import type { Operation } from '../route.ts';
import { readAnswer } from './answer.ts';
import type { CallOptions } from './call-options.ts';
import { AbortedError, type CallContext, CallError } from './errors.ts';
import { failureOf } from './failure.ts';
import type { Settings } from './options.ts';
import type { Outgoing } from './outgoing.ts';
import { ProblemError } from './problem-error.ts';
import { type Repeatable, retryDelay } from './retry.ts';
import type { Transport } from './transport.ts';

/** Everything that one call needs. */
export interface Call {
  readonly operation: Repeatable['operation'];
  readonly outgoing: Outgoing;
  readonly settings: Settings;
  readonly transport: Transport;
  readonly signal: AbortSignal | undefined;
  readonly options: CallOptions;
  /** Called with the identity of the store that answered; undefined if the service does not tell. */
  readonly onStore: (store: string | undefined) => void;
}

/**
 * Makes a call, and retries it while that is safe and attempts are left.
 *
 * @returns the answer, checked against the operation's schema
 * @throws CallError
 */
export async function perform(call: Call): Promise<unknown> {
  let ambiguous = false;
  for (let attempt = 1; ; attempt += 1) {
    const context = contextOf(call, attempt, ambiguous);
    const started = performance.now();
    try {
      return await performOnce(call, context);
    } catch (error) {
      if (!(error instanceof CallError)) throw error;
      if (ambiguous && isGone(call.operation, error)) return {};
      const delay = retryDelay(call, error);
      if (delay === undefined) throw error;
      ambiguous ||= error.outcome === 'unknown';
      call.settings.onRetry?.({ error, durationMs: performance.now() - started, delayMs: delay });
      await pause(call, contextOf(call, attempt, ambiguous), delay);
    }
  }
}

function contextOf({ operation, outgoing }: Call, attempt: number, ambiguous: boolean): CallContext {
  return { operationId: operation.operationId, method: outgoing.method, path: outgoing.path, attempt, ambiguous };
}

async function performOnce(call: Call, context: CallContext): Promise<unknown> {
  const { operation, outgoing, settings, transport, signal, options } = call;
  const started = performance.now();
  const exchanged = await transport.exchange(outgoing, signal);
  const { operationId, method, path, attempt } = context;
  const durationMs = performance.now() - started;
  const date = exchanged.ok ? exchanged.headers.date : undefined;
  settings.onCall?.({ operationId, method, path, status: exchanged.status, attempt, durationMs, date });
  if (!exchanged.ok) throw failureOf(context, exchanged, settings);
  const { etag, 'idempotency-replayed': replayed } = exchanged.headers;
  const isKnown = exchanged.status === 304 && options.cachedAnswer !== undefined;
  const answer = isKnown ? options.cachedAnswer.answer : readAnswer(context, operation, exchanged, settings);
  call.onStore(readStoreHeader(exchanged.headers[storeHeader]));
  if (replayed === 'true') options.onReplayed?.();
  if (etag !== undefined) options.onTag?.(etag);
  return answer;
}

async function pause({ settings, signal }: Call, context: CallContext, delay: number): Promise<void> {
  try {
    await settings.sleep(delay, signal);
  } catch (error) {
    if (signal?.aborted !== true) throw error;
    throw new AbortedError(context, 'not-sent', signal.reason);
  }
}

/**
 * If the first attempt of a DELETE may have been done and its retry gets a 404, the resource is gone, as requested. A 404 on
 * the first attempt stays an error, since the identifier is probably wrong. So does one from an operation that counts what it
 * deletes: its 404 is about the person or data source, and the count is lost.
 */
function isGone(operation: Operation, error: CallError): boolean {
  return (
    operation.method === 'DELETE' &&
    operation.answer === emptyObject &&
    error instanceof ProblemError &&
    error.kind === 'not-found'
  );
}
