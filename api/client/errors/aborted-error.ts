import { type CallContext, CallError } from './call-error.ts';

/** The caller's signal ended the call; `cause` is the signal's reason and `outcome` whether it may have been done. */
export class AbortedError extends CallError {
  // The name that the platform gives to it, which callers commonly test for.
  override name = 'AbortError';
  override readonly code = 'ERR_ROLECALL_ABORTED';

  constructor(context: CallContext, outcome: 'not-sent' | 'unknown', reason: unknown) {
    super(context, 'was aborted', { outcome, cause: reason });
  }
}
