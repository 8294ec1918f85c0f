import type { Method } from '../../route.ts';
import type { OperationId } from '../../routes.ts';
import { RolecallError } from './rolecall-error.ts';

/**
 * What became of the call at the service: it never got there, the service refused it and did nothing, or it may have
 * been done, which only reading the resource again can tell.
 */
export type Outcome = 'not-sent' | 'refused' | 'unknown';

/** Which call an error is about. */
export interface CallContext {
  readonly operationId: OperationId;
  readonly method: Method;
  /** The path that was sent, without the query string. */
  readonly path: string;
  /** Counts from 1. */
  readonly attempt: number;
  /** Whether an earlier attempt of the same call may have been done. */
  readonly ambiguous: boolean;
}

export interface CallErrorDetails {
  readonly outcome: Outcome;
  /** What the service asked to wait, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/** A call that failed; the subclasses say how. The message begins with the operation, its method and its path. */
export class CallError extends RolecallError {
  override name = 'CallError';
  override readonly code: string = 'ERR_ROLECALL_CALL';
  readonly operationId: OperationId;
  readonly method: Method;
  readonly path: string;
  /** What happened and the remedy: the message without the call that it begins with. */
  readonly what: string;
  /** How often the call was tried. */
  readonly attempts: number;
  readonly outcome: Outcome;
  readonly retryAfterMs: number | undefined;

  /** @param what what happened and the remedy, as the rest of a sentence that begins with the operation */
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
