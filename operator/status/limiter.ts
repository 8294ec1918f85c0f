export type Limit = <T>(run: () => Promise<T>) => Promise<T>;

/** Runs so much at a time; the others wait in the order in which they came. */
export function createLimiter(count: number): Limit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (run) => {
    if (running >= count) await new Promise<void>((resolve) => waiting.push(resolve));
    else running += 1;
    try {
      return await run();
    } finally {
      // Whoever waits takes the place over, so that nobody comes in between.
      const next = waiting.shift();
      if (next === undefined) running -= 1;
      else next();
    }
  };
}
