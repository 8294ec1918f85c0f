import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseTimestamp, TimestampError } from '@rolecall/crds';

describe('a time', () => {
  for (const [written, meant] of [
    ['2026-12-01T09:00:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00Z', '2026-12-01T09:00:00.000Z'],
    ['2026-12-01T09:00:00.5Z', '2026-12-01T09:00:00.500Z'],
    ['2026-12-01T09:00:00.123000000Z', '2026-12-01T09:00:00.123Z'],
    ['2026-12-01T00:30:00+01:00', '2026-11-30T23:30:00.000Z'],
    ['2024-02-29T23:59:59-14:00', '2024-03-01T13:59:59.000Z'],
  ] as const) {
    it(`${written} is ${meant}`, () => {
      assert.equal(parseTimestamp(written), meant);
    });
  }

  for (const [written, remedy] of [
    ['2026-12-01T09:00:00', /Add Z/],
    ['2026-12-01 09:00:00', /as in 2026-12-01T09:00:00Z/],
    ['2026-12-01', /as in/],
    ['tomorrow', /as in/],
    ['', /as in/],
    ['2026-02-29T09:00:00Z', /Correct the day/],
    ['2026-12-01T24:00:00Z', /Correct the day or the hour/],
    ['2026-12-01T09:00:60Z', /Correct/],
    ['2026-13-01T09:00:00Z', /Correct/],
    ['2026-12-01T09:00:00.0001Z', /three digits/],
    ['2026-12-01T09:00:00+25:00', /as in/],
    ['0000-01-01T00:00:00+14:00', /year/],
    ['9999-12-31T23:59:59-01:00', /year/],
    ['２０２６-12-01T09:00:00Z', /as in/],
  ] as const) {
    it(`${JSON.stringify(written)} is refused with a remedy`, () => {
      assert.throws(
        () => parseTimestamp(written),
        (error) => error instanceof TimestampError && remedy.test(error.remedy),
      );
    });
  }
});
