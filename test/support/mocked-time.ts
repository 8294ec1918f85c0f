import { syncBuiltinESMExports } from 'node:module';
import type { TestContext } from 'node:test';
import { setImmediate } from 'node:timers/promises';

/** Lets time pass for all timers and for the monotonic clock, in steps of 10 milliseconds. */
export type Pass = (ms: number) => Promise<void>;

/** Stops time until the end of the test: what a busy machine takes meanwhile counts for nothing. */
export function stopTime(test: TestContext): Pass {
  test.mock.timers.enable({ apis: ['setTimeout'] });
  // A whole number: sums of fractions would be a little less than the time that has passed.
  let now = Math.ceil(performance.now());
  test.mock.method(performance, 'now', () => now);
  // Modules that import a timer by its name have the real one otherwise.
  syncBuiltinESMExports();
  test.after(() => {
    test.mock.reset();
    syncBuiltinESMExports();
  });
  return async (ms) => {
    for (let left = ms; left > 0; left -= 10) {
      const step = Math.min(10, left);
      now += step;
      test.mock.timers.tick(step);
      await setImmediate();
    }
  };
}
