/** Lets a bounded number of queries run; the others wait for their turn in the order in which they came. */
export interface Slots {
  /** Waits for a turn. @throws the signal's reason when it aborts before */
  take: (signal: AbortSignal) => Promise<void>;
  /** How many have a turn, and how many wait. */
  counts: () => { running: number; waiting: number };
  /** Ends a turn that was taken. */
  release: () => void;
}

export function createSlots(count: number): Slots {
  let free = count;
  const waiting = new Set<() => void>();
  return {
    counts: () => ({ running: count - free, waiting: waiting.size }),
    take: (signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (free > 0) {
          free -= 1;
          resolve();
          return;
        }
        const begin = (): void => {
          signal.removeEventListener('abort', giveUp);
          resolve();
        };
        const giveUp = (): void => {
          waiting.delete(begin);
          reject(signal.reason as Error);
        };
        waiting.add(begin);
        signal.addEventListener('abort', giveUp, { once: true });
      }),
    release: () => {
      const [next] = waiting;
      if (next === undefined) {
        free += 1;
        return;
      }
      waiting.delete(next);
      next();
    },
  };
}
