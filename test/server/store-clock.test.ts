import assert from 'node:assert/strict';
import { it, type TestContext } from 'node:test';
import type { Executor } from '../../server/store/store.ts';
import { StoreClock } from '../../server/store-clock.ts';

/** A store whose answers arrive after so many milliseconds, one after the other, by a clock that stands still meanwhile. */
function storeThatTakes(test: TestContext, ...waits: number[]) {
  const state = { asked: 0, ms: 5000 };
  test.mock.method(performance, 'now', () => state.ms);
  const now = (): Promise<Date> => {
    const at = new Date(state.ms);
    state.asked += 1;
    state.ms += waits.shift() ?? 0;
    return Promise.resolve(at);
  };
  // Its time is all that the clock asks for.
  return { executor: { now } as unknown as Executor, state };
}

it('a clock asks again after a slow answer, and is not late by it', async (test) => {
  const clock = new StoreClock();
  const { executor, state } = storeThatTakes(test, 200, 2);
  await clock.measure(executor);
  assert.equal(state.asked, 2);
  assert.equal(state.ms - clock.now(), 2);
});

it('a clock is never early, and gives up after three slow answers', async (test) => {
  const clock = new StoreClock();
  const { executor, state } = storeThatTakes(test, 40, 50, 60, 0);
  await clock.measure(executor);
  assert.equal(state.asked, 3);
  assert.equal(state.ms - clock.now(), 40);
});
