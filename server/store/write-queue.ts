import type { Collection, Work, Write } from './store.ts';

/** A write that waits for its group. */
export interface Queued {
  readonly changes: readonly Collection[];
  readonly work: Work<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

/** Takes writes, and runs those that come together as one transaction. */
export interface WriteQueue {
  readonly write: Write;
  /** Waits for the writes that were taken, and takes no more. */
  close(): Promise<void>;
}

/** More than this in one group would keep others waiting for milliseconds. */
const largestGroup = 256;

/**
 * Groups writes: a commit waits for the disk, so that many clients share one.
 *
 * @param runGroup settles every write that it takes by calling `take`; called while there are any
 */
export function createWriteQueue(runGroup: (take: () => readonly Queued[]) => Promise<void>): WriteQueue {
  let queue: Queued[] = [];
  let running: Promise<void> | undefined;
  let closed = false;

  function take(): readonly Queued[] {
    const group = queue.slice(0, largestGroup);
    queue = queue.slice(largestGroup);
    return group;
  }

  async function drain(): Promise<void> {
    while (queue.length > 0) {
      // Lets all that the event loop has ready join the group.
      await new Promise(setImmediate);
      await runGroup(take);
    }
    running = undefined;
  }

  return {
    write: <T>(changes: readonly Collection[], work: Work<T>) =>
      new Promise<T>((resolve, reject) => {
        if (closed) throw new Error('the store is closed');
        // What `work` gives is what `resolve` takes; the queue holds writes of every kind.
        queue.push({ changes, work, resolve: resolve as (value: unknown) => void, reject });
        running ??= drain();
      }),
    close: async () => {
      closed = true;
      await running;
    },
  };
}
