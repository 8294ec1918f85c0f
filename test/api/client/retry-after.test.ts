import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseRetryAfter } from '../../../api/client/retry-after.ts';

const now = Date.UTC(2026, 10, 2, 8, 30);

describe('Retry-After', () => {
  it('is a number of seconds', () => {
    assert.equal(parseRetryAfter('0', now), 0);
    assert.equal(parseRetryAfter(' 120 ', now), 120_000);
  });

  it('is an HTTP-date, and one in the past means at once', () => {
    assert.equal(parseRetryAfter('Mon, 02 Nov 2026 08:31:30 GMT', now), 90_000);
    assert.equal(parseRetryAfter('Mon, 02 Nov 2026 08:29:00 GMT', now), 0);
  });

  it('says nothing when it is neither', () => {
    for (const value of [undefined, '', '-5', '1.5', 'soon', '2026-11-02T08:31:30Z', 'nonsense GMT', '9'.repeat(400)]) {
      assert.equal(parseRetryAfter(value, now), undefined, String(value));
    }
  });
});
