import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Step } from '@rolecall/reconcile';
import { dataSource, permission, person, role, useWorkspace } from '../support.ts';

/** The ids of the steps that the one step of an operation waits for. */
function waits(steps: readonly Step[], operation: string): string[] {
  const [step, ...others] = steps.filter((one) => one.operation === operation);
  assert.ok(step !== undefined && others.length === 0, `one ${operation} expected`);
  return step.after;
}

describe('make before break', () => {
  const workspace = useWorkspace();
  const around = [person('ada'), person('grace'), dataSource('billing'), dataSource('stock')];
  const old = role('old', { people: ['ada'], dataSources: ['billing'] });

  it('lets a person leave a role only once another one gives the same data source', async () => {
    await workspace.apply([...around, old]);
    const moved = [
      role('old', { people: [], dataSources: ['billing'] }),
      role('new', { people: ['ada'], dataSources: ['billing'] }),
    ];
    const { steps } = await workspace.plan([...around, ...moved]);
    assert.deepEqual(waits(steps, 'removeRolePerson').sort(), [
      'addRoleDataSource ["new","billing"]',
      'addRolePerson ["new","ada"]',
    ]);
  });

  it('does not hold a revocation up for a grant that has nothing to do with it', async () => {
    await workspace.apply([...around, old]);
    const moved = [
      role('old', { people: [], dataSources: ['billing'] }),
      role('new', { people: ['grace'], dataSources: ['stock'] }),
    ];
    const { steps } = await workspace.plan([...around, ...moved]);
    assert.deepEqual(waits(steps, 'removeRolePerson'), []);
  });

  it('waits when a permission takes a role over, and the other way round', async () => {
    await workspace.apply([...around, old]);
    const instead = [role('old', { people: [], dataSources: ['billing'] }), permission('ada', 'billing')];
    const { steps } = await workspace.plan([...around, ...instead]);
    assert.equal(waits(steps, 'removeRolePerson').length, 1);
    await workspace.apply([...around, ...instead]);
    const back = await workspace.plan([...around, old], { exact: ['permissions'] });
    assert.deepEqual(waits(back.steps, 'deletePermission'), ['addRolePerson ["old","ada"]']);
  });

  it('lets a role go only once a permission that holds at once is granted, whatever is granted for later', async () => {
    await workspace.apply([...around, old]);
    const later = { name: 'later', startsAt: '2095-01-01T00:00:00.000Z' };
    const instead = [
      role('old', { people: [], dataSources: ['billing'] }),
      permission('ada', 'billing'),
      permission('ada', 'billing', later),
    ];
    const { steps } = await workspace.plan([...around, ...instead]);
    const now = steps.find(({ object }) => object.kind === 'Permission' && object.name !== 'later');
    assert.deepEqual(waits(steps, 'removeRolePerson'), [now?.id]);
  });

  it('lets one of two roles with a data source go only once the other is there, though a permission begins later', async () => {
    await workspace.apply([...around, old]);
    const instead = [
      role('old', { people: [], dataSources: ['billing'] }),
      role('new', { people: ['ada'], dataSources: ['billing'] }),
      permission('ada', 'billing', { startsAt: '2095-01-01T00:00:00.000Z' }),
    ];
    const { steps } = await workspace.plan([...around, ...instead]);
    assert.deepEqual(waits(steps, 'removeRolePerson').sort(), [
      'addRoleDataSource ["new","billing"]',
      'addRolePerson ["new","ada"]',
    ]);
  });

  it('ends a permission only once all that are granted for the same pair are there', async () => {
    await workspace.apply([...around, permission('ada', 'billing')]);
    const instead = [
      permission('ada', 'billing', { name: 'now', expiresAt: '2094-01-01T00:00:00.000Z' }),
      permission('ada', 'billing', { name: 'later', startsAt: '2095-01-01T00:00:00.000Z' }),
    ];
    const { steps } = await workspace.plan([...around, ...instead], { exact: ['permissions'] });
    assert.equal(waits(steps, 'deletePermission').length, 2);
  });

  it('keeps a role that is removed until what replaces it stands', async () => {
    await workspace.apply([...around, old]);
    const { steps } = await workspace.plan([...around, role('new', { people: ['ada'], dataSources: ['billing'] })], {
      exact: ['roles'],
    });
    assert.deepEqual(waits(steps, 'deleteRole').sort(), [
      'addRoleDataSource ["new","billing"]',
      'addRolePerson ["new","ada"]',
    ]);
  });

  it('unlocks a person only after what they are to lose is gone', async () => {
    await workspace.apply([...around, old, permission('ada', 'stock')]);
    const [ada] = await workspace.client.call('listPeople', {});
    await workspace.client.call('lockPerson', { params: { person: ada!.id } });
    const { steps } = await workspace.plan([...around, role('old', { people: [], dataSources: ['billing'] })], {
      exact: ['permissions'],
    });
    assert.equal(waits(steps, 'unlockPerson').length, 2);
  });

  it('leads a data source to another database after those who lose it, and before those who gain it', async () => {
    await workspace.apply([...around, old]);
    const { steps } = await workspace.plan([
      person('ada'),
      person('grace'),
      dataSource('billing', { uri: 'postgresql://reader@db.internal:5432/salaries' }),
      dataSource('stock'),
      role('old', { people: ['grace'], dataSources: ['billing'] }),
    ]);
    assert.deepEqual(waits(steps, 'updateDataSource'), [
      steps.find(({ operation }) => operation === 'removeRolePerson')?.id,
    ]);
    assert.deepEqual(waits(steps, 'addRolePerson'), [
      steps.find(({ operation }) => operation === 'updateDataSource')?.id,
    ]);
  });

  it('leads a data source to another database once those who lose it have gone, though nothing is given', async () => {
    await workspace.apply([...around, old]);
    const { steps } = await workspace.plan([
      ...around.slice(0, 2),
      dataSource('billing', { uri: 'postgresql://reader@db.internal:5432/salaries' }),
      role('old', { people: [], dataSources: ['billing'] }),
    ]);
    assert.equal(waits(steps, 'updateDataSource').length, 1);
  });
});
