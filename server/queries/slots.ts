/** Lets a bounded number of queries run; the others wait for their turn in the order in which they came. */
export interface Slots {
  /**
   * Waits for a turn.
   *
   * @param key whose query it is: one key never has all turns, so that others get theirs whatever it runs
   * @throws the signal's reason when it aborts before
   */
  take: (key: string, signal: AbortSignal) => Promise<void>;
  /** How many have a turn, and how many wait. */
  counts: () => { running: number; waiting: number };
  /** Ends a turn that was taken for this key. */
  release: (key: string) => void;
}

interface Waiting {
  readonly key: string;
  readonly begin: () => void;
}

/** What one key may have of anything that queries share. */
export function shareOf(total: number): number {
  return Math.ceil(total / 2);
}

export function createSlots(count: number): Slots {
  const share = shareOf(count);
  const taken = new Map<string, number>();
  const waiting = new Set<Waiting>();
  let running = 0;
  const mayBegin = (key: string): boolean => running < count && (taken.get(key) ?? 0) < share;
  const begin = (key: string): void => {
    running += 1;
    taken.set(key, (taken.get(key) ?? 0) + 1);
  };
  return {
    counts: () => ({ running, waiting: waiting.size }),
    take: (key, signal) =>
      new Promise((resolve, reject) => {
        signal.throwIfAborted();
        if (mayBegin(key)) {
          begin(key);
          resolve();
          return;
        }
        const one: Waiting = {
          key,
          begin: () => {
            signal.removeEventListener('abort', giveUp);
            resolve();
          },
        };
        const giveUp = (): void => {
          waiting.delete(one);
          reject(signal.reason as Error);
        };
        waiting.add(one);
        signal.addEventListener('abort', giveUp, { once: true });
      }),
    release: (key) => {
      running -= 1;
      const left = (taken.get(key) ?? 1) - 1;
      if (left === 0) taken.delete(key);
      else taken.set(key, left);
      const next = [...waiting].find((one) => mayBegin(one.key));
      if (next === undefined) return;
      waiting.delete(next);
      begin(next.key);
      next.begin();
    },
  };
}
