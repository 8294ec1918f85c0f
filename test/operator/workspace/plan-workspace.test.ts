import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createView } from '@rolecall/reconcile';
import { planAllowed } from '../../../operator/workspace/plan-workspace.ts';
import { dataSource, optionsOf, permission, person, role, stateOf, useWorkspace } from '../../reconcile/support.ts';

describe('a plan of the operator', () => {
  const workspace = useWorkspace();

  it('holds a role back whose list would lose too many at once, and says so of that role', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`p${index}`));
    const listed = (count: number) =>
      role('analysts', {
        people: people.slice(0, count).map(({ username }) => username),
        dataSources: ['billing'],
      });
    await workspace.apply([...people, dataSource('billing'), listed(12)]);
    const state = stateOf([...people, dataSource('billing'), listed(2)], {});
    const { plan, held } = await planAllowed(state, createView(workspace.client), optionsOf({}));
    assert.deepEqual([...held.keys()], ['Role/analysts']);
    assert.equal(held.get('Role/analysts')?.reason, 'RemovalShare');
    assert.deepEqual(plan.steps, []);
  });

  it('holds a role without data sources back that would be emptied, and lets the rest run', async () => {
    const people = Array.from({ length: 100 }, (_, index) => person(`p${index}`));
    const names = people.map(({ username }) => username);
    const listed = (count: number) => role('owners', { people: names.slice(0, count), dataSources: [] });
    const everyone = role('everyone', { people: names });
    await workspace.apply([...people, everyone, listed(12)]);
    const state = stateOf([...people, person('new'), everyone, listed(0)], {});
    const { plan, held } = await planAllowed(state, createView(workspace.client), optionsOf({}));
    assert.deepEqual([...held.keys()], ['Role/owners']);
    assert.match(held.get('Role/owners')?.message ?? '', /12 of the 12 people in the role owners/);
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['createPerson'],
    );
  });

  it('counts what the workspace has and no object declares, as far as that was read', async () => {
    await workspace.apply([person('ada'), person('eve')]);
    const { undeclared } = await planAllowed(stateOf([person('ada')], {}), createView(workspace.client), optionsOf({}));
    assert.deepEqual(undeclared.people, { count: 1 });
  });

  it('lets a permission that is over and was never granted keep nothing that someone granted by hand', async () => {
    const around = [person('ada'), dataSource('billing')];
    await workspace.apply([...around, permission('ada', 'billing')]);
    const over = permission('ada', 'billing', {
      startsAt: '2020-01-01T00:00:00.000Z',
      expiresAt: '2020-02-01T00:00:00.000Z',
    });
    const more = { exact: ['permissions'], rails: { maxRemovalPercent: 100, minimumRemoval: 1 } } as const;
    const state = stateOf([...around, over], { ...more, exact: [...more.exact] });
    const { plan, held } = await planAllowed(state, createView(workspace.client), optionsOf({}));
    assert.equal(held.get('Permission/ada-billing')?.reason, 'WindowPast');
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['deletePermission'],
    );
  });
});
