import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { killLoop } from './kill-loop.ts';

describe('a service that is killed again and again under load', () => {
  it('has what it acknowledged and at most one request more of each client, and starts again by itself', async (test) => {
    const report = await killLoop(15);
    test.diagnostic(JSON.stringify(report));
    assert.ok(report.acknowledged > 100 && report.queries > 0, JSON.stringify(report));
  });
});
