import { type CallContext, CallError } from './call-error.ts';

/** The connection failed before the whole answer was there. `outcome` says whether the call may have been done. */
export class NetworkError extends CallError {
  override name = 'NetworkError';
  override readonly code = 'ERR_ROLECALL_NETWORK';
  /** The system's or undici's code, such as ECONNREFUSED; empty when there was none. */
  readonly reason: string;

  constructor(context: CallContext, what: string, reason: string, outcome: 'not-sent' | 'unknown', cause: unknown) {
    super(context, what, { outcome, cause });
    this.reason = reason;
  }
}
