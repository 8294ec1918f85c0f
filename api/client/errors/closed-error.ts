import { type CallContext, CallError } from './call-error.ts';

/** The client was closed, so the call was not sent. */
export class ClosedError extends CallError {
  override name = 'ClosedError';
  override readonly code = 'ERR_ROLECALL_CLOSED';

  constructor(context: CallContext) {
    super(context, 'was not sent: the client is closed. Create another one', { outcome: 'not-sent' });
  }
}
