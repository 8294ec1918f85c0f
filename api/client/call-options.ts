/** An answer that the caller already has, and the ETag that came with it. */
export interface KnownAnswer<Answer> {
  readonly tag: string;
  readonly answer: Answer;
}

export interface CallOptions<Answer = unknown> {
  /** Aborts this call, including its pauses between attempts. */
  readonly signal?: AbortSignal | undefined;
  /** Makes the call although the client's own signal is aborted: for the last one, which gives back what the client took. */
  readonly despiteAbort?: boolean | undefined;
  /**
   * Sent as Idempotency-Key. A POST that creates something is then retried even if it may have been done, except execute:
   * the service does it once. A service that does not know the header could do it twice.
   */
  readonly idempotencyKey?: string | undefined;
  /** Called if the service replays the answer to an earlier request with the same Idempotency-Key. */
  readonly onReplayed?: (() => void) | undefined;
  /**
   * Sent as If-None-Match. If nothing has changed, the call returns this very answer. A service without ETags answers
   * anew.
   */
  readonly cachedAnswer?: KnownAnswer<Answer> | undefined;
  /** Adds to the client's `manager` that it removes what it does not declare from the list that this call writes to. */
  readonly exact?: boolean | undefined;
  /**
   * The definition of what this call writes, such as `Person/ada`, and whether the object stays when the definition goes. Sent only
   * where the client has a `manager`.
   */
  readonly declaredAs?: { readonly definition: string; readonly isKept: boolean } | undefined;
  /** Called with the answer's ETag, if it has one. */
  readonly onTag?: ((tag: string) => void) | undefined;
}
