import assert from 'node:assert/strict';
import { describe, it, mock } from 'node:test';
import { sleep, systemClock } from '../../../operator/runtime/clock.ts';
import { fakeClock } from '../support/fake-clock.ts';

const day = 24 * 60 * 60_000;

describe('the system clock', () => {
  it('waits longer than the timers of the platform can', (test) => {
    // Timers of the platform that are mocked know no longest delay, so that it is told here by what they are asked for.
    const asked: number[] = [];
    let elapsed = 0;
    test.mock.method(performance, 'now', () => elapsed);
    const pending: (() => void)[] = [];
    test.mock.method(globalThis, 'setTimeout', (run: () => void, ms: number) => {
      asked.push(ms);
      pending.push(() => {
        elapsed += ms;
        run();
      });
      return 0;
    });
    const run = mock.fn();
    systemClock.after(60 * day, run);
    for (let next = pending.shift(); next !== undefined; next = pending.shift()) {
      assert.equal(run.mock.callCount(), 0);
      next();
    }
    assert.equal(run.mock.callCount(), 1);
    assert.equal(elapsed, 60 * day);
    assert.ok(Math.max(...asked) <= 2 ** 31 - 1, `the platform was asked for ${Math.max(...asked)}`);
  });

  it('notices within a minute that the time of day was corrected', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout', 'Date'], now: 0 });
    const run = test.mock.fn();
    systemClock.at(10 * day, run);
    test.mock.timers.setTime(10 * day);
    test.mock.timers.tick(60_000);
    assert.equal(run.mock.callCount(), 1);
  });

  it('does not run what was given up', (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const run = test.mock.fn();
    systemClock.after(100, run)[Symbol.dispose]();
    test.mock.timers.tick(1_000);
    assert.equal(run.mock.callCount(), 0);
  });
});

describe('sleep', () => {
  it('ends with its time, or at once with its signal, and leaves no timer behind', async () => {
    const clock = fakeClock();
    const { signal } = new AbortController();
    const long = sleep(clock, 100, signal);
    await clock.advance(100);
    assert.equal(await long, true);
    const stop = new AbortController();
    const stopped = sleep(clock, 100, stop.signal);
    stop.abort();
    assert.equal(await stopped, false);
    assert.equal(await sleep(clock, 100, stop.signal), false);
    assert.equal(clock.timers(), 0);
  });
});
