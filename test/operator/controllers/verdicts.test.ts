import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { refused } from '../../../operator/controllers/verdicts.ts';

const refusal = {
  objects: ['Role/analysts'],
  message: 'this is too much',
  remedy: 'override this rail by name',
  override: 'x',
};

describe('what is said of an object that a rail holds back', () => {
  it('names a remedy that a cluster has', () => {
    for (const [rail, reason, remedy] of [
      ['removal-share', 'RemovalShare', /maxRemovalPercent of the Workspace/],
      ['last-member', 'LastMember', /the annotation rolecall\.dev\/protected/],
    ] as const) {
      const { reason: said, message } = refused([{ ...refusal, rail }]);
      assert.equal(said, reason);
      assert.match(message, remedy);
      assert.doesNotMatch(message, /override/);
    }
  });

  it('has the remedy of the engine otherwise', () => {
    const { message } = refused([{ ...refusal, rail: 'window-past', remedy: 'write a later window' }]);
    assert.equal(message, 'This is too much. Write a later window.');
  });
});
