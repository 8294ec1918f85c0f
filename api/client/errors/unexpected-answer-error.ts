import { type CallContext, CallError } from './call-error.ts';

export interface UnexpectedAnswer {
  readonly status: number;
  /** As the answer names it; empty when it names none. */
  readonly contentType: string;
  readonly retryAfterMs?: number | undefined;
}

/**
 * What answered did not keep to the wire contract: a proxy's HTML page, another service, cut-off JSON, a missing field.
 * Whether the call was done is unknown.
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
