/** Observes the keys of a queue. */
export interface QueueObserver {
  /** A key waits now that did not before. */
  readonly added: (key: string) => void;
  /** A worker has it. */
  readonly taken: (key: string) => void;
  readonly done: (key: string) => void;
  /** It failed, and comes back. */
  readonly retried: (key: string) => void;
}

/** Several queues report to one observer, so that their keys have to differ. */
export function named(prefix: string, { added, taken, done, retried }: QueueObserver): QueueObserver {
  const told = (tell: (key: string) => void) => (key: string) => {
    tell(prefix + key);
  };
  return { added: told(added), taken: told(taken), done: told(done), retried: told(retried) };
}
