/** Time, injected: what waits for it is tested without waiting. */

export interface Clock {
  /** The time of day, in milliseconds since 1970. It may jump. */
  readonly now: () => number;
  /** Milliseconds since some moment. It never jumps, and runs at the same pace if someone sets the time of day. */
  readonly elapsed: () => number;
  /** Runs a function after any number of milliseconds: the timers of the platform end at 24.8 days. */
  readonly after: (ms: number, run: () => void) => Disposable;
  /** Runs something once the time of day has come. */
  readonly at: (time: number, run: () => void) => Disposable;
}

/** The longest delay of the platform's timers; a longer one fires at once. */
const longestTimer = 2 ** 31 - 1;

/** The longest wait for a time of day without reading it again: someone may have corrected it, or the machine slept. */
const longestTrust = 60_000;

/** The machine's own clock. Its timers keep the process running, because work depends on them. */
export const systemClock: Clock = {
  now: () => Date.now(),
  elapsed: () => performance.now(),
  after: (ms, run) => {
    const due = performance.now() + ms;
    return repeat(() => due - performance.now(), longestTimer, run);
  },
  at: (time, run) => repeat(() => time - Date.now(), longestTrust, run),
};

/** Sets one timer after the other until nothing remains. */
function repeat(remaining: () => number, longest: number, run: () => void): Disposable {
  let timer: NodeJS.Timeout | undefined;
  const wait = (): void => {
    const left = remaining();
    // Timers may fire up to a millisecond early.
    timer = setTimeout(left > longest ? wait : check, Math.min(Math.max(0, Math.ceil(left)), longest));
  };
  const check = (): void => {
    if (remaining() > 0) wait();
    else run();
  };
  wait();
  return {
    [Symbol.dispose]: () => {
      clearTimeout(timer);
    },
  };
}

/**
 * Waits.
 *
 * @returns whether the time has passed; false as soon as the signal is aborted
 */
export function sleep(clock: Clock, ms: number, signal: AbortSignal): Promise<boolean> {
  if (signal.aborted) return Promise.resolve(false);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const stop = (): void => {
    timer[Symbol.dispose]();
    resolve(false);
  };
  const timer = clock.after(ms, () => {
    signal.removeEventListener('abort', stop);
    resolve(true);
  });
  signal.addEventListener('abort', stop, { once: true });
  return promise;
}
