import assert from 'node:assert/strict';
import { it } from 'node:test';
import { makePlan } from '@rolecall/reconcile';
import { dataSource, describeReadings, membership, optionsOf, person, role, snippet, stateOf } from '../support.ts';

describeReadings('Role and RoleMembership', (workspace) => {
  const people = [person('ada'), person('grace'), person('linus')];

  async function membersOf(name: string): Promise<string[]> {
    const found = (await workspace.client.call('listRoles', {})).find((one) => one.name === name);
    const members = await workspace.client.call('listRolePeople', { params: { role: found!.id } });
    return members.map(({ username }) => username).sort();
  }

  it('has exactly the people that it lists', async () => {
    await workspace.apply([...people, role('analysts', { people: ['ada', 'grace'] })]);
    const { plan } = await workspace.apply([...people, role('analysts', { people: ['linus', 'ada'] })]);
    assert.deepEqual(
      plan.steps.map(({ operation, effect }) => [operation, effect]),
      [
        ['addRolePerson', 'grant'],
        ['removeRolePerson', 'revoke'],
      ],
    );
    assert.deepEqual(await membersOf('analysts'), ['ada', 'linus']);
  });

  it('is emptied by an empty list, and left alone by no list', async () => {
    await workspace.apply([...people, role('analysts', { people: ['ada'] })]);
    assert.deepEqual((await workspace.plan([...people, role('analysts')])).steps, []);
    await workspace.apply([...people, role('analysts', { people: [] })]);
    assert.deepEqual(await membersOf('analysts'), []);
  });

  it('keeps whom a RoleMembership adds to a role with a list, and makes the call once', async () => {
    const objects = [
      ...people,
      role('analysts', { people: ['ada'] }),
      membership('analysts', 'grace'),
      membership('analysts', 'ada'),
    ];
    const { plan } = await workspace.apply(objects);
    assert.equal(plan.steps.filter(({ operation }) => operation === 'addRolePerson').length, 2);
    assert.deepEqual(await membersOf('analysts'), ['ada', 'grace']);
    assert.deepEqual((await workspace.plan(objects)).steps, []);
  });

  it('touches no one else by a RoleMembership', async () => {
    await workspace.apply([...people, role('analysts', { people: ['ada'] })]);
    await workspace.apply([membership('analysts', 'linus')]);
    assert.deepEqual(await membersOf('analysts'), ['ada', 'linus']);
  });

  it('refers to people and roles that are on the server only', async () => {
    await workspace.apply([...people, role('analysts')]);
    const { result } = await workspace.apply([membership('analysts', 'GRACE')]);
    assert.equal(result.done.length, 1);
  });

  it('is refused when it refers to no one, naming who and the remedy', async () => {
    const plan = await workspace.plan([role('analysts', { people: ['nobody'] }), membership('ghosts', 'nobody')]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['missing-reference', 'missing-reference', 'missing-reference'],
    );
    assert.match(plan.refusals[0]!.message, /Role\/analysts refers to the person nobody/);
  });

  it('is refused when it needs an object that is only observed and not there', async () => {
    const plan = await workspace.plan([person('ada', { observeOnly: true }), role('analysts', { people: ['ada'] })]);
    assert.match(plan.refusals[0]!.message, /needs Person\/ada, which is only observed/);
  });

  it('whose name and members join to the same text as another role and its members keeps its own', async () => {
    const twins = [person('b', { email: 'b@x.example' }), person('EU b', { name: 'eub', email: 'eub@x.example' })];
    const roles = [role('Sales EU', { people: ['b'] }), role('Sales', { people: ['EU b'] })];
    await workspace.apply([...twins, ...roles]);
    assert.deepEqual([await membersOf('Sales EU'), await membersOf('Sales')], [['b'], ['EU b']]);
  });

  it('is joined by one call however its list and a RoleMembership write the username', async () => {
    const objects = [...people, role('analysts', { people: ['ada'] }), membership('analysts', 'ADA')];
    const { plan } = await workspace.apply(objects);
    assert.equal(plan.steps.filter(({ operation }) => operation === 'addRolePerson').length, 1);
  });

  it('lists data sources exactly too', async () => {
    const sources = [dataSource('billing'), dataSource('stock')];
    await workspace.apply([...sources, role('analysts', { dataSources: ['billing'] })]);
    const { plan } = await workspace.apply([...sources, role('analysts', { dataSources: ['stock'] })]);
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['addRoleDataSource', 'removeRoleDataSource'],
    );
  });

  it('is renamed in place where the front end remembers it, and keeps its members and snippets', async () => {
    const objects = [...people, dataSource('billing'), snippet('Ours', { owner: { kind: 'Role', role: 'analysts' } })];
    await workspace.apply([...objects, role('analysts', { people: ['ada', 'grace'], dataSources: ['billing'] })]);
    const [old] = await workspace.client.call('listRoles', {});
    const renamed = role('data-team', { id: old!.id, people: ['ada', 'grace'], protected: true });
    const after = [
      ...people,
      dataSource('billing'),
      snippet('Ours', { owner: { kind: 'Role', role: 'data-team' } }),
      renamed,
    ];
    const { plan, result } = await workspace.apply(after, { exact: ['roles', 'snippets'] });
    assert.deepEqual([result.failed, plan.refusals], [[], []]);
    assert.deepEqual(
      plan.steps.map(({ summary }) => summary),
      ['rename the role analysts to data-team'],
    );
    assert.deepEqual((await workspace.plan(after)).steps, []);
    assert.deepEqual(await membersOf('data-team'), ['ada', 'grace']);
  });

  it('keeps whom RoleMemberships add while it is renamed', async () => {
    for (const { rest, exact } of [
      { rest: { people: ['ada'] }, exact: [] },
      { rest: {}, exact: ['memberships'] as const },
    ]) {
      await workspace.apply([...people, role('old', { name: 'r', ...rest }), membership('old', 'linus')], { exact });
      const { id } = (await workspace.client.call('listRoles', {})).find(({ name }) => name === 'old')!;
      const renamed = [...people, role('new', { name: 'r', id, ...rest }), membership('new', 'linus')];
      const { steps } = await workspace.plan(renamed, { exact });
      assert.deepEqual(
        steps.map(({ summary }) => summary),
        ['rename the role old to new'],
      );
    }
  });

  it('is not renamed to the name of a role that nobody declares, unless that one goes in the same run', async () => {
    await workspace.apply([role('old', { name: 'r' }), role('taken')]);
    const { id } = (await workspace.client.call('listRoles', {})).find(({ name }) => name === 'old')!;
    const renamed = role('taken', { name: 'r', id });
    assert.deepEqual(
      (await workspace.plan([renamed])).refusals.map(({ rail }) => rail),
      ['role-name-taken'],
    );
    const { plan, result } = await workspace.apply([renamed], { exact: ['roles'] });
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['deleteRole', 'updateRole'],
    );
  });

  it('that has the administrators is not renamed without an override', async () => {
    await workspace.apply([role('admins', { name: 'r' })]);
    const [admins] = await workspace.client.call('listRoles', {});
    const view = { ...workspace.createView(), adminRole: () => Promise.resolve('admins') };
    const state = stateOf([role('owners', { name: 'r', id: admins!.id })], {});
    const plan = await makePlan(state, view, optionsOf({}));
    assert.deepEqual([plan.steps, plan.refusals.map(({ override }) => override)], [[], ['critical:Role/r']]);
    const overridden = await makePlan(state, view, optionsOf({ overrides: ['critical:Role/r'] }));
    assert.deepEqual(
      overridden.steps.map(({ operation }) => operation),
      ['updateRole'],
    );
  });

  it('exchanges names with another role, by one call more', async () => {
    await workspace.apply([role('one'), role('two')]);
    const roles = await workspace.client.call('listRoles', {});
    const idOf = (called: string) => roles.find(({ name }) => name === called)!.id;
    const exchanged = [role('two', { name: 'one', id: idOf('one') }), role('one', { name: 'two', id: idOf('two') })];
    const { plan, result } = await workspace.apply(exchanged);
    assert.deepEqual([plan.refusals, result.failed, plan.steps.length], [[], [], 3]);
    assert.deepEqual((await workspace.plan(exchanged)).steps, []);
  });

  it('keeps when it is renamed, and loses, each of several data sources that have one name and no alias', async () => {
    await workspace.apply([role('old', { name: 'r' }), dataSource('Shop')]);
    const { id } = (await workspace.client.call('listRoles', {}))[0]!;
    for (const host of ['one', 'two']) {
      const body = { name: 'Shop', alias: null, configUri: `postgresql://reader@${host}.internal/shop` };
      const { id: shop } = await workspace.client.call('createDataSource', { body });
      await workspace.client.call('addRoleDataSource', { params: { role: id, dataSource: shop } });
    }
    const { plan, result } = await workspace.apply([role('new', { name: 'r', id })]);
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    const members = async () => {
      const [renamed] = await workspace.client.call('listRoles', {});
      return workspace.client.call('listRoleDataSources', { params: { role: renamed!.id } });
    };
    assert.equal((await members()).length, 2);
    // The alias of another one is the name of these.
    const emptied = role('new', { name: 'r', dataSources: ['Shop'] });
    await workspace.apply([dataSource('Shop'), emptied]);
    assert.deepEqual(
      (await members()).map(({ alias }) => alias),
      ['Shop'],
    );
  });
});
