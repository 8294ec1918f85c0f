/** What a log line is about, for programs. */
export interface About {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** The operation of the service. */
  readonly operation?: string;
  /** What was done, in words. */
  readonly summary?: string;
  /** Why. */
  readonly reason?: string;
}

/** @param about what an entry is about, where it is about one object; the message says it too */
export type Log = (level: 'info' | 'warn', message: string, about?: About) => void;
