/** Errors of the connection to the API server. */

/** The server answered, and refused. */
export class StatusError extends Error {
  override name = 'StatusError';
  readonly code = 'ERR_KUBERNETES_STATUS';
  readonly status: number;
  /** The word for programs in the Status object: `AlreadyExists`, `Conflict`, `Expired`, … */
  readonly reason: string;
  /** The time for which the server asks to wait, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(status: number, reason: string, message: string, retryAfterMs?: number) {
    super(message);
    this.status = status;
    this.reason = reason;
    this.retryAfterMs = retryAfterMs;
  }
}

/** There is no connection, or it was lost. Whether a write was done is not known. */
export class DisconnectedError extends Error {
  override name = 'DisconnectedError';
  readonly code = 'ERR_KUBERNETES_DISCONNECTED';
}

/** The answer has more bytes than this process takes at once, and was not read to its end. */
export class AnswerTooLargeError extends Error {
  override name = 'AnswerTooLargeError';
  readonly code = 'ERR_KUBERNETES_ANSWER_TOO_LARGE';
}

/** True if an error is the server's answer with this status. */
export function isStatus(error: unknown, status: number): error is StatusError {
  return error instanceof StatusError && error.status === status;
}
