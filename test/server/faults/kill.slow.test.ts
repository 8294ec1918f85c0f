import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killLoop } from './kill-loop.ts';

describe('a service that is killed a thousand times under load', () => {
  it('has what it acknowledged and at most one request more of each client, and starts again by itself', async (test) => {
    const report = await killLoop(1000, (soFar) => {
      test.diagnostic(JSON.stringify(soFar));
    });
    test.diagnostic(JSON.stringify(report));
    // Both sides of the moment were hit, or the kills came at no moment that matters.
    assert.ok(report.pendingDone > 0 && report.pendingNotDone > 0, JSON.stringify(report));
  });
});
