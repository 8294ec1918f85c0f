import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createView } from '@rolecall/reconcile';
import { planWithout } from '../../../operator/controllers/run-plan.ts';
import { optionsOf, person, role, stateOf, useWorkspace } from '../../reconcile/support.ts';

describe('a plan of the operator', () => {
  const workspace = useWorkspace();

  it('holds a role back whose list would lose too many at once, and says so of that role', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`p${index}`));
    const listed = (count: number) =>
      role('analysts', { people: people.slice(0, count).map(({ username }) => username) });
    await workspace.apply([...people, listed(12)]);
    const state = stateOf([...people, listed(5)], {});
    const { plan, held } = await planWithout(state, createView(workspace.client), optionsOf({}));
    assert.deepEqual([...held.keys()], ['Role/analysts']);
    assert.equal(held.get('Role/analysts')?.reason, 'RemovalShare');
    assert.deepEqual(plan.steps, []);
  });
});
