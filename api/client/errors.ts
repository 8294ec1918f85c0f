import type { Method } from '../route.ts';

/** The base class of Rolecall's own errors: `code` is stable, and the message says what to do. */
export class RolecallError extends Error {
  override name = 'RolecallError';
  readonly code: string = 'ERR_ROLECALL';
}

/** An option of the client is wrong; the message names it and the remedy. Nothing was sent. */
export class OptionsError extends RolecallError {
  override name = 'OptionsError';
  override readonly code = 'ERR_ROLECALL_OPTIONS';
  /** The option, where it says where to connect, or as whom. */
  readonly option: 'url' | 'keyId' | 'keySecret' | 'caFile' | undefined;

  constructor(message: string, { option, ...rest }: ErrorOptions & { option?: OptionsError['option'] } = {}) {
    super(message, rest);
    this.option = option;
  }
}

/** There is no token of the pipeline's platform, or it cannot be used. The message repeats nothing of it. */
export class IdTokenError extends RolecallError {
  override name = 'IdTokenError';
  override readonly code = 'ERR_ROLECALL_ID_TOKEN';
}

/** The request cannot be written as HTTP, for example because a path parameter is empty. Nothing was sent. */
export class InvalidRequestError extends RolecallError {
  override name = 'InvalidRequestError';
  override readonly code = 'ERR_ROLECALL_INVALID_REQUEST';
  readonly operationId: string;
  /** The invalid parameter or field. */
  readonly field: string;

  constructor(operationId: string, field: string, what: string) {
    super(`${operationId}: ${field} ${what}`);
    this.operationId = operationId;
    this.field = field;
  }
}

/**
 * Certainty about a failed call: it was not sent, it was refused and nothing was done, or it may have been done. In the
 * last case, read the resource again to find out.
 */
export type Outcome = 'not-sent' | 'refused' | 'unknown';

/** The call that an error is about. */
export interface CallContext {
  readonly operationId: string;
  readonly method: Method;
  /** The path that was sent, without the query string. */
  readonly path: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** True if an earlier attempt of the same call may have been done. */
  readonly ambiguous: boolean;
}

export interface CallErrorDetails {
  readonly outcome: Outcome;
  /** Time that the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A call failed; the subclasses say how. The message begins with the operation, its method and its path. */
export class CallError extends RolecallError {
  override name = 'CallError';
  override readonly code: string = 'ERR_ROLECALL_CALL';
  readonly operationId: string;
  readonly method: Method;
  readonly path: string;
  /** Reason and remedy: the message without the operation, method and path. */
  readonly what: string;
  /** The number of attempts. */
  readonly attempts: number;
  readonly outcome: Outcome;
  readonly retryAfterMs: number | undefined;

  /** @param what what happened and the remedy; completes a sentence that begins with the operation */
  constructor(context: CallContext, what: string, { outcome, retryAfterMs, cause }: CallErrorDetails) {
    const { operationId, method, path, attempt, ambiguous } = context;
    const tried = attempt === 1 ? '' : ` (attempt ${attempt})`;
    super(`${operationId} (${method} ${path})${tried} ${what}`, cause === undefined ? {} : { cause });
    this.operationId = operationId;
    this.method = method;
    this.path = path;
    this.what = what;
    this.attempts = attempt;
    this.outcome = ambiguous ? 'unknown' : outcome;
    this.retryAfterMs = retryAfterMs;
  }
}

/** The caller's signal aborted the call. `cause` is the signal's reason; `outcome` says whether the call may have been done. */
export class AbortedError extends CallError {
  // The platform's own name for it, which callers commonly check.
  override name = 'AbortError';
  override readonly code = 'ERR_ROLECALL_ABORTED';

  constructor(context: CallContext, outcome: 'not-sent' | 'unknown', reason: unknown) {
    super(context, 'was aborted', { outcome, cause: reason });
  }
}

/** The client is closed, so the call was not sent. */
export class ClosedError extends CallError {
  override name = 'ClosedError';
  override readonly code = 'ERR_ROLECALL_CLOSED';

  constructor(context: CallContext) {
    super(context, 'was not sent: the client is closed. Create another one', { outcome: 'not-sent' });
  }
}

/** The connection failed before the whole answer arrived. `outcome` says whether the call may have been done. */
export class NetworkError extends CallError {
  override name = 'NetworkError';
  override readonly code = 'ERR_ROLECALL_NETWORK';
  /** The system's or undici's code, such as ECONNREFUSED; empty if there was none. */
  readonly reason: string;
  /** True if the client has a proxy for the service's scheme. */
  readonly hasProxy: boolean;

  constructor(
    context: CallContext,
    what: string,
    reason: string,
    outcome: 'not-sent' | 'unknown',
    cause: unknown,
    hasProxy = false,
  ) {
    super(context, what, { outcome, cause });
    this.reason = reason;
    this.hasProxy = hasProxy;
  }
}

/** Part of the answer that did not come in time: the connection, the first byte, the next byte, or the last one. */
export type TimeoutPhase = 'connect' | 'headers' | 'body' | 'answer';

const waitedFor: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'no connection could be made',
  headers: 'the service did not answer',
  body: 'the answer stopped part of the way',
  answer: 'the answer came too slowly to finish',
};

/** The service was silent for longer than the client's timeout. */
export class TimeoutError extends CallError {
  override name = 'TimeoutError';
  override readonly code = 'ERR_ROLECALL_TIMEOUT';
  readonly phase: TimeoutPhase;
  readonly timeoutMs: number;

  constructor(context: CallContext, phase: TimeoutPhase, timeoutMs: number, origin: string, cause: unknown) {
    super(
      context,
      `timed out: ${waitedFor[phase]} within ${timeoutMs} ms. Check that ${origin} can be reached and is not overloaded, or raise the timeout ${phase}Ms`,
      { outcome: phase === 'connect' ? 'not-sent' : 'unknown', cause },
    );
    this.phase = phase;
    this.timeoutMs = timeoutMs;
  }
}

export interface UnexpectedAnswer {
  readonly status: number;
  /** As the answer names it; empty when it names none. */
  readonly contentType: string;
  readonly retryAfterMs?: number | undefined;
}

/**
 * The answer does not follow the wire contract: a proxy's HTML page, another service, cut-off JSON, a missing field. The call
 * may or may not have been done.
 */
export class UnexpectedAnswerError extends CallError {
  override name = 'UnexpectedAnswerError';
  override readonly code: string = 'ERR_ROLECALL_UNEXPECTED_ANSWER';
  readonly status: number;
  readonly contentType: string;

  constructor(context: CallContext, what: string, { status, contentType, retryAfterMs }: UnexpectedAnswer) {
    super(context, `got an unexpected answer (status ${status}, ${contentType || 'no content type'}): ${what}`, {
      outcome: 'unknown',
      retryAfterMs,
    });
    this.status = status;
    this.contentType = contentType;
  }
}

/** The answer is larger than the client's limit. The client stopped reading it there. */
export class AnswerTooLargeError extends UnexpectedAnswerError {
  override name = 'AnswerTooLargeError';
}

/** The answer is a redirect. The client does not follow it, since that would send the API key to another address. */
export class RedirectError extends UnexpectedAnswerError {
  override name = 'RedirectError';
  override readonly code = 'ERR_ROLECALL_REDIRECT';
  /** The redirect's target without credentials and query; undefined if the answer has none. */
  readonly location: string | undefined;

  constructor(context: CallContext, what: string, answer: UnexpectedAnswer, location: string | undefined) {
    super(context, what, answer);
    this.location = location;
  }
}
