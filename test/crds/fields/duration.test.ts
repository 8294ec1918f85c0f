import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DurationError, parseDuration } from '@rolecall/crds';

describe('a duration', () => {
  for (const [written, seconds] of [
    ['8h', 28_800],
    ['90m', 5_400],
    ['1h30m', 5_400],
    ['7d', 604_800],
    ['2w', 1_209_600],
    ['1w2d3h4m5s', 788_645],
    ['3600', 3_600],
    [1, 1],
    [3_153_600_000, 3_153_600_000],
    ['36500d', 3_153_600_000],
  ] as const) {
    it(`${JSON.stringify(written)} is ${seconds} seconds`, () => {
      assert.equal(parseDuration(written), seconds);
    });
  }

  for (const written of [
    '',
    '8 h',
    '8H',
    '-8h',
    '1.5h',
    'h',
    '30m1h',
    '1h30',
    '2d12',
    '8h8h',
    '0',
    '0s',
    0,
    -1,
    1.5,
    3_153_600_001,
    '36501d',
  ]) {
    it(`${JSON.stringify(written)} is refused with a remedy`, () => {
      assert.throws(
        () => parseDuration(written),
        (error) => error instanceof DurationError && error.remedy.includes('8h'),
      );
    });
  }

  it('of a thousand digits is refused, not infinite', () => {
    assert.throws(() => parseDuration('9'.repeat(1000)), DurationError);
  });
});
