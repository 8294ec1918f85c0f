import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ClockSkew } from '@rolecall/api';
import { resetTwoFactor } from '../../../provider/actions/reset-two-factor.ts';
import { Workspace } from '../../../provider/workspace/workspace.ts';

describe('the reset of a second factor', () => {
  it('is planned where what the provider is configured with is not known yet', async () => {
    const rails = { maxRemovalPercent: 25, minimumRemoval: 10 };
    const names = { url: '', manager: 'terraform/default', isNamed: false };
    const workspace = new Workspace({ client: undefined, clock: new ClockSkew(), rails, adopts: true, ...names });
    const context = {
      workspace,
      report: () => assert.fail('nothing is reported'),
      stored: new Map(),
      refreshed: new Set<string>(),
    };
    await resetTwoFactor.plan({ person_id: 'p7Kd2mXq9WzA' }, context);
    await assert.rejects(resetTwoFactor.invoke({ person_id: 'p7Kd2mXq9WzA' }, context), /not configured yet/);
  });
});
