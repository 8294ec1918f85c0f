/** How late the event loop is. */
export interface EventLoopWatch {
  /** The mean of the last half second, in milliseconds. */
  readonly delay: () => number;
  readonly stop: () => void;
}

const lookedEvery = 20;
const remembered = 500;

/**
 * Looks at how late a timer comes. Node's own histogram is not used: to look at a part of it means to reset it, and each
 * reset loses the delay that goes on at that moment.
 *
 * @param observe is told each delay, in seconds
 */
export function watchEventLoop(observe: (seconds: number) => void): EventLoopWatch {
  let before = performance.now();
  let mean = 0;
  const timer = setInterval(() => {
    const now = performance.now();
    const passed = now - before;
    before = now;
    const late = Math.max(0, passed - lookedEvery);
    // By the time that it stands for: one delay of a second says more than fifty without.
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
