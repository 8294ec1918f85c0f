import { type CallContext, CallError } from './call-error.ts';

/** What was waited for: the connection, the first byte of the answer, the next byte of it, or the last. */
export type TimeoutPhase = 'connect' | 'headers' | 'body' | 'answer';

const waitedFor: Readonly<Record<TimeoutPhase, string>> = {
  connect: 'no connection could be made',
  headers: 'the service did not answer',
  body: 'the answer stopped part of the way',
  answer: 'the answer came too slowly to end',
};

/** The service was silent for longer than the client's time-out. */
export class TimeoutError extends CallError {
  override name = 'TimeoutError';
  override readonly code = 'ERR_ROLECALL_TIMEOUT';
  readonly phase: TimeoutPhase;
  readonly timeoutMs: number;

  constructor(context: CallContext, phase: TimeoutPhase, timeoutMs: number, origin: string, cause: unknown) {
    super(
      context,
      `timed out: ${waitedFor[phase]} within ${timeoutMs} ms. Check that ${origin} can be reached and is not overloaded, or raise the time-out ${phase}Ms`,
      { outcome: phase === 'connect' ? 'not-sent' : 'unknown', cause },
    );
    this.phase = phase;
    this.timeoutMs = timeoutMs;
  }
}
