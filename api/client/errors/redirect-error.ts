import type { CallContext } from './call-error.ts';
import { type UnexpectedAnswer, UnexpectedAnswerError } from './unexpected-answer-error.ts';

/** The service is elsewhere. Redirects are not followed, so that the API key goes nowhere it was not meant for. */
export class RedirectError extends UnexpectedAnswerError {
  override name = 'RedirectError';
  override readonly code = 'ERR_ROLECALL_REDIRECT';
  /** Where it points, without credentials and query; undefined when the answer does not say. */
  readonly location: string | undefined;

  constructor(context: CallContext, what: string, answer: UnexpectedAnswer, location: string | undefined) {
    super(context, what, answer);
    this.location = location;
  }
}
