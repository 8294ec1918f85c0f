import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RepeatedWarnings } from '../../../operator/runtime/repeated-warnings.ts';
import { fakeClock } from '../support/fake-clock.ts';

const minute = 60_000;

function setUp() {
  const clock = fakeClock(0);
  const said: string[] = [];
  return { clock, said, warnings: new RepeatedWarnings(clock, (message) => said.push(message)) };
}

describe('a warning that repeats', () => {
  it('is said once, and again with its count after ten minutes', async () => {
    const { clock, said, warnings } = setUp();
    for (let second = 0; second < 9; second += 1) {
      warnings.warn('the connection was lost', `; tried again in ${second} s`);
      await clock.advance(minute);
    }
    assert.deepEqual(said, ['the connection was lost; tried again in 0 s']);
    await clock.advance(minute);
    warnings.warn('the connection was lost', '; tried again in 9 s');
    assert.equal(said[1], 'the connection was lost; tried again in 9 s (8 more times since it was last logged)');
  });

  it('holds back no other', () => {
    const { said, warnings } = setUp();
    for (const text of ['one', 'other', 'one']) warnings.warn(text);
    assert.deepEqual(said, ['one', 'other']);
  });

  it('takes no more memory than a thousand of them', () => {
    const { said, warnings } = setUp();
    for (let n = 0; n <= 1_000; n += 1) warnings.warn(`object ${n}`);
    warnings.warn('object 1000');
    warnings.warn('object 0');
    assert.equal(said.length, 1_002, 'the oldest of them is forgotten, and no other');
  });
});
