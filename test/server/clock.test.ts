import assert from 'node:assert/strict';
import { it } from 'node:test';
import { laterThan } from '../../server/clock.ts';

it('a change is always later than the one before it, even when the clock stands still or was set back', () => {
  const noon = '2026-11-02T12:00:00.000Z';
  for (const [clock, expected] of [
    ['2026-11-02T12:00:05.250Z', '2026-11-02T12:00:05.250Z'],
    [noon, '2026-11-02T12:00:00.001Z'],
    ['2026-11-02T11:00:00.000Z', '2026-11-02T12:00:00.001Z'],
  ] as const) {
    assert.equal(
      laterThan(noon, () => new Date(clock)),
      expected,
    );
  }
});
