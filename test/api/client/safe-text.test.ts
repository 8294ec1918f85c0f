import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { safeText } from '../../../api/client/safe-text.ts';

describe('a foreign text in a message', () => {
  it('is one line without mark-up and control characters', () => {
    assert.equal(safeText('<h1>Bad\n gateway</h1>\u0007<script>x()</script>\u202eend', 100, []), 'Bad gateway end');
  });

  it('is cut to its length, counted in whole characters', () => {
    assert.equal(safeText('😀'.repeat(10), 4, []), '😀😀😀…');
    assert.equal(safeText('😀'.repeat(4), 4, []), '😀😀😀😀');
  });

  it('shows no credentials', () => {
    const text = 'key=abc authorization: bearer eyJhbGciOi.x postgresql://ada:p@ss@db:5432/x';
    assert.equal(safeText(text, 200, ['abc']), 'key=*** authorization: bearer *** postgresql://***@db:5432/x');
  });

  it('is made quickly, whatever it is', () => {
    for (const text of ['<'.repeat(1e6), ' '.repeat(1e6), '<script>'.repeat(1e5), '://'.repeat(1e6)]) {
      const started = performance.now();
      safeText(text, 100, ['abc']);
      assert.ok(performance.now() - started < 1000, text.slice(0, 10));
    }
  });
});
