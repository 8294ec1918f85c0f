import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resetTwoFactor } from '../../../provider/actions/reset-two-factor.ts';
import { openWorkspace } from '../support/workspace.ts';

describe('the reset of a second factor', () => {
  it('is planned where what the provider is configured with is not known yet', async () => {
    const workspace = openWorkspace(undefined);
    const context = {
      workspace,
      report: () => assert.fail('nothing is reported'),
      stored: new Map(),
      refreshed: new Set<string>(),
    };
    assert.ok(resetTwoFactor.plan);
    await resetTwoFactor.plan({ person_id: 'p7Kd2mXq9WzA' }, context);
    await assert.rejects(resetTwoFactor.invoke({ person_id: 'p7Kd2mXq9WzA' }, context), /not configured yet/);
  });
});
