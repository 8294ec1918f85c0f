import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { needsAnchor } from '@rolecall/crds';
import { define } from '../support.ts';

const access = { person: 'ada', dataSource: 'billing' };
const startsAt = '2026-12-01T09:00:00Z';

describe('the window of a permission', () => {
  it('has one normal form, whether it is written with an end or a length', () => {
    const byEnd = define('Permission', 'p', { ...access, startsAt, expiresAt: '2026-12-01T18:00:00+01:00' });
    const byLength = define('Permission', 'p', { ...access, startsAt, duration: '8h' });
    assert.deepEqual(byEnd.spec, byLength.spec);
    assert.equal(byEnd.spec.startsAt, '2026-12-01T09:00:00.000Z');
    assert.equal(byEnd.spec.expiresAt, '2026-12-01T17:00:00.000Z');
    assert.equal(byEnd.spec.durationSeconds, undefined);
  });

  it('keeps its length where it has no start, and then needs an anchor', () => {
    const { spec } = define('Permission', 'p', { ...access, duration: 3600 });
    assert.equal(spec.durationSeconds, 3600);
    assert.equal(needsAnchor(spec), true);
  });

  it('needs no anchor with an end, with or without a start', () => {
    assert.equal(needsAnchor(define('Permission', 'p', { ...access, expiresAt: startsAt }).spec), false);
    assert.equal(needsAnchor(define('Permission', 'p', { ...access, startsAt, duration: '1s' }).spec), false);
  });

  it('may be exactly the longest, and one second', () => {
    const longest = define('Permission', 'p', { ...access, startsAt, duration: 3_153_600_000 });
    assert.equal(longest.spec.expiresAt, '2126-11-07T09:00:00.000Z');
    define('Permission', 'p', { ...access, startsAt, expiresAt: '2026-12-01T09:00:01Z' });
  });
});
