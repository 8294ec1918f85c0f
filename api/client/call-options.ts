/** An answer that the caller has already, and the ETag that came with it. */
export interface KnownAnswer<Answer> {
  readonly tag: string;
  readonly answer: Answer;
}

export interface CallOptions<Answer = unknown> {
  /** Ends this call, its pauses between attempts included. */
  readonly signal?: AbortSignal | undefined;
  /**
   * Sent as Idempotency-Key. A POST that makes something is then repeated even when it may have been done, save execute:
   * the service does it once. One that does not know the header would do it twice.
   */
  readonly idempotencyKey?: string | undefined;
  /** Told when the answer is that of an earlier request with the same Idempotency-Key. */
  readonly onReplayed?: (() => void) | undefined;
  /**
   * Sent as If-None-Match. Where the service says that nothing has changed, this very answer is what the call returns; one that
   * knows no ETag answers anew.
   */
  readonly known?: KnownAnswer<Answer> | undefined;
  /** Says with the client's `manager` that it removes what it does not declare from the list that this call writes to. */
  readonly exact?: boolean | undefined;
  /** Told the ETag of the answer, where it has one. */
  readonly onTag?: ((tag: string) => void) | undefined;
}
