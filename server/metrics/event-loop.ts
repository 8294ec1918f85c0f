/** Measures the delay of the event loop. */
export interface EventLoopWatch {
  /** The mean of the last half second, in milliseconds. */
  readonly delay: () => number;
  readonly stop: () => void;
}

const lookedEvery = 20;
const remembered = 500;

/**
 * Measures how late a timer fires. Node's own histogram has to be reset to read a part of it, and each reset loses the delay
 * in progress.
 *
 * @param observe is told each delay, in seconds
 */
export function watchEventLoop(observe: (seconds: number) => void): EventLoopWatch {
  let last = performance.now();
  let mean = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const passed = now - last;
    last = now;
    const late = Math.max(0, passed - lookedEvery);
    // Weighted by its time: one delay of a second says more than fifty turns without any.
    mean += (late - mean) * Math.min(1, passed / remembered);
    observe(late / 1000);
  }, lookedEvery);
  timer.unref();
  return {
    delay: () => mean,
    stop: () => {
      clearInterval(timer);
    },
  };
}
