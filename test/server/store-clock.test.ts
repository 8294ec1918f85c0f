import assert from 'node:assert/strict';
import { it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Executor } from '../../server/store/store.ts';
import { StoreClock } from '../../server/store-clock.ts';

/** A store whose answers arrive after so many milliseconds, one after the other. */
function storeThatTakes(...waits: number[]): { executor: Executor; asked: () => number } {
  let asked = 0;
  const now = async (): Promise<Date> => {
    const at = new Date();
    asked += 1;
    await sleep(waits.shift() ?? 0);
    return at;
  };
  // Its time is all that the clock asks for.
  return { executor: { now } as unknown as Executor, asked: () => asked };
}

it('a clock asks again after a slow answer, and is not late by it', async () => {
  const clock = new StoreClock();
  const { executor, asked } = storeThatTakes(200, 0);
  await clock.measure(executor);
  assert.ok(asked() > 1);
  assert.ok(Date.now() - clock.now() < 100, `${Date.now() - clock.now()} ms late`);
});

it('a clock is never early, and gives up after three slow answers', async () => {
  const clock = new StoreClock();
  const { executor, asked } = storeThatTakes(40, 50, 60, 0);
  await clock.measure(executor);
  assert.equal(asked(), 3);
  // A millisecond for what the platform's clock rounds away.
  assert.ok(clock.now() <= Date.now() + 1);
});
