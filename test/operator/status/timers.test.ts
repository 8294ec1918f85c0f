import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createTimetable } from '../../../operator/status/timers.ts';
import { fakeClock } from '../support/fake-clock.ts';

describe('a timetable', () => {
  const setUp = () => {
    const clock = fakeClock();
    const rung: [string, number][] = [];
    const start = clock.now();
    const timetable = createTimetable(clock, (key) => rung.push([key, clock.now() - start]));
    return { clock, rung, start, timetable };
  };

  it('rings for each of ten thousand at its moment, once, with one timer', async () => {
    const { clock, rung, start, timetable } = setUp();
    // In no order: 7,919 and 10,000 have no common factor.
    for (let index = 0; index < 10_000; index += 1) timetable.set(`${index}`, start + ((index * 7_919) % 10_000) + 1);
    assert.equal(clock.timers(), 1);
    await clock.advance(20_000);
    assert.equal(rung.length, 10_000);
    assert.deepEqual(
      rung.filter(([key, at]) => at !== ((Number(key) * 7_919) % 10_000) + 1),
      [],
    );
    assert.equal(clock.timers(), 0);
  });

  it('rings at the moment that was said last, and not at all for what was taken out', async () => {
    const { clock, rung, start, timetable } = setUp();
    timetable.set('later', start + 10);
    timetable.set('later', start + 30);
    timetable.set('sooner', start + 40);
    timetable.set('sooner', start + 20);
    timetable.set('gone', start + 5);
    timetable.set('gone', undefined);
    assert.equal(clock.timers(), 1);
    await clock.advance(100);
    assert.deepEqual(rung, [
      ['sooner', 20],
      ['later', 30],
    ]);
  });

  it('rings at once for what is past, and after years for what is far', async () => {
    const { clock, rung, start, timetable } = setUp();
    const years = 20 * 365 * 86_400_000;
    timetable.set('past', start - 1_000);
    timetable.set('far', start + years);
    await clock.advance(0);
    assert.deepEqual(rung, [['past', 0]]);
    await clock.advance(years);
    assert.deepEqual(rung.at(-1), ['far', years]);
  });

  it('follows the time of day when that is corrected', async () => {
    const { clock, rung, start, timetable } = setUp();
    timetable.set('noon', start + 3_600_000);
    clock.setDay(start + 3_599_000);
    await clock.advance(1_000);
    assert.deepEqual(
      rung.map(([key]) => key),
      ['noon'],
    );
  });

  it('leaves no timer behind when it is ended', async () => {
    const { clock, rung, start, timetable } = setUp();
    timetable.set('never', start + 10);
    timetable[Symbol.dispose]();
    assert.equal(clock.timers(), 0);
    await clock.advance(100);
    assert.deepEqual(rung, []);
  });
});
