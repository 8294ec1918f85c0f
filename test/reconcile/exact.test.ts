import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { dataSource, membership, permission, person, role, snippet, useWorkspace } from './support.ts';

const all = ['people', 'roles', 'dataSources', 'permissions', 'snippets'] as const;

describe('exact collections and rails', () => {
  const workspace = useWorkspace();

  it('remove nothing unless declared exact', async () => {
    await workspace.apply([person('ada'), role('analysts'), snippet('Top')]);
    assert.deepEqual((await workspace.plan([])).steps, []);
  });

  it('remove what is not declared, a person by lock and then delete', async () => {
    await workspace.apply([
      person('ada'),
      role('analysts'),
      dataSource('billing'),
      permission('ada', 'billing'),
      snippet('Top'),
    ]);
    const { plan, result } = await workspace.apply([], { exact: all });
    assert.deepEqual(result.failed, []);
    assert.deepEqual(plan.steps.map(({ operation }) => operation).sort(), [
      'deleteDataSource',
      'deletePerson',
      'deleteRole',
      'deleteSnippet',
      'lockPerson',
    ]);
    assert.deepEqual((await workspace.plan([], { exact: all })).steps, []);
  });

  it('make no call for a permission that falls with its person', async () => {
    await workspace.apply([person('ada'), dataSource('billing'), permission('ada', 'billing')]);
    const plan = await workspace.plan([dataSource('billing')], { exact: ['people', 'permissions'] });
    assert.equal(
      plan.steps.some(({ operation }) => operation === 'deletePermission'),
      false,
    );
  });

  it('never remove what is paused or only observed', async () => {
    await workspace.apply([person('ada'), person('grace')]);
    const plan = await workspace.plan([person('ada', { paused: true }), person('grace', { observeOnly: true })], {
      exact: all,
    });
    assert.deepEqual(plan.steps, []);
  });

  it('refuse to remove what something declared refers to', async () => {
    await workspace.apply([person('ada'), role('analysts')]);
    const plan = await workspace.plan([role('analysts'), membership('analysts', 'ada')], { exact: ['people'] });
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['still-referenced'],
    );
    assert.match(plan.refusals[0]!.message, /RoleMembership\/ada-analysts refers to it/);
  });

  it('refuse to remove more than a quarter of ten or more, and name them and the override', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
    await workspace.apply(people);
    assert.deepEqual((await workspace.plan(people.slice(3), { exact: ['people'] })).refusals, []);
    const plan = await workspace.plan(people.slice(4), { exact: ['people'] });
    assert.deepEqual(
      plan.refusals.map(({ rail, override }) => [rail, override]),
      [['removal-share', 'removal-share:people']],
    );
    assert.match(plan.refusals[0]!.message, /4 of 12 in people .*person0, person1, person2, person3/);
    const overridden = await workspace.plan(people.slice(4), {
      exact: ['people'],
      overrides: ['removal-share:people'],
    });
    assert.deepEqual(overridden.refusals, []);
  });

  it('refuse to empty a large role too', async () => {
    const people = Array.from({ length: 10 }, (_, index) => person(`person${index}`));
    const usernames = people.map(({ username }) => username);
    await workspace.apply([...people, role('analysts', { people: usernames })]);
    const plan = await workspace.plan([...people, role('analysts', { people: [] })]);
    assert.deepEqual(
      plan.refusals.map(({ override }) => override),
      ['removal-share:analysts/people'],
    );
  });

  it('refuse two definitions of one object', async () => {
    const plan = await workspace.plan([person('ada'), person('ADA', { name: 'second' })]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['declared-twice'],
    );
  });
});
