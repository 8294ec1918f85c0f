import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Timers } from '../../../operator/status/timers.ts';
import { fakeClock } from '../support/fake-clock.ts';

describe('timers', () => {
  const setUp = () => {
    const clock = fakeClock();
    const fired: [string, number][] = [];
    const start = clock.now();
    const timers = new Timers(clock, (key) => fired.push([key, clock.now() - start]));
    return { clock, fired, start, timers };
  };

  it('fires for each of ten thousand at its moment, once, with one timer', async () => {
    const { clock, fired, start, timers } = setUp();
    // In no order: 7,919 and 10,000 have no common factor.
    for (let index = 0; index < 10_000; index += 1) timers.set(`${index}`, start + ((index * 7_919) % 10_000) + 1);
    assert.equal(clock.timers(), 1);
    await clock.advance(20_000);
    assert.equal(fired.length, 10_000);
    assert.deepEqual(
      fired.filter(([key, at]) => at !== ((Number(key) * 7_919) % 10_000) + 1),
      [],
    );
    assert.equal(clock.timers(), 0);
  });

  it('fires at the moment that was said last, and not at all for what was taken out', async () => {
    const { clock, fired, start, timers } = setUp();
    timers.set('later', start + 10);
    timers.set('later', start + 30);
    timers.set('sooner', start + 40);
    timers.set('sooner', start + 20);
    timers.set('gone', start + 5);
    timers.set('gone', undefined);
    assert.equal(clock.timers(), 1);
    await clock.advance(100);
    assert.deepEqual(fired, [
      ['sooner', 20],
      ['later', 30],
    ]);
  });

  it('fires at once for what is past, and after years for what is far', async () => {
    const { clock, fired, start, timers } = setUp();
    const years = 20 * 365 * 86_400_000;
    timers.set('past', start - 1_000);
    timers.set('far', start + years);
    await clock.advance(0);
    assert.deepEqual(fired, [['past', 0]]);
    await clock.advance(years);
    assert.deepEqual(fired.at(-1), ['far', years]);
  });

  it('follows the time of day when that is corrected', async () => {
    const { clock, fired, start, timers } = setUp();
    timers.set('noon', start + 3_600_000);
    clock.setDay(start + 3_599_000);
    await clock.advance(1_000);
    assert.deepEqual(
      fired.map(([key]) => key),
      ['noon'],
    );
  });

  it('leaves no timer behind when it is ended', async () => {
    const { clock, fired, start, timers } = setUp();
    timers.set('never', start + 10);
    timers[Symbol.dispose]();
    assert.equal(clock.timers(), 0);
    await clock.advance(100);
    assert.deepEqual(fired, []);
  });
});
