import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refused } from '../../../operator/status/outcomes.ts';

describe('what is said of an object that a rail holds back', () => {
  it('is the reason of the rail, what would happen, and the remedy', () => {
    const refusal = { objects: ['Role/analysts'], message: 'this is too much', remedy: 'write a later window' };
    for (const [rail, expected] of [
      ['removal-share', 'RemovalShare'],
      ['last-member', 'LastMember'],
      ['window-past', 'WindowPast'],
    ] as const) {
      const { reason, message } = refused([{ ...refusal, rail, override: 'x' }]);
      assert.equal(reason, expected);
      assert.equal(message, 'This is too much. Write a later window.');
    }
  });
});
