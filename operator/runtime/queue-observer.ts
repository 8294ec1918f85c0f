/** Those who are told what becomes of the keys of a queue. */
export interface QueueObserver {
  /** A key waits now that did not before. */
  readonly added: (key: string) => void;
  /** A worker has it. */
  readonly taken: (key: string) => void;
  readonly done: (key: string) => void;
  /** It failed, and comes back. */
  readonly retried: (key: string) => void;
}
