import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Caller, converge } from '@rolecall/reconcile';
import { dataSource, optionsOf, permission, person, role, snippet, useWorkspace } from '../support.ts';

describe('two runs that observed the same and run at the same moment', () => {
  const workspace = useWorkspace();

  it('make each object once, and both succeed', async () => {
    const objects = [
      person('ada'),
      dataSource('billing'),
      role('analysts', { people: ['ada'] }),
      permission('ada', 'billing'),
      snippet('Top customers', { owner: { kind: 'Role', role: 'analysts' } }),
      snippet('Nobody owns this'),
    ];
    const plans = await Promise.all([1, 2, 3].map(() => workspace.plan(objects)));
    const results = await Promise.all(plans.map((plan) => converge(plan, workspace.client, optionsOf({}))));
    for (const { failed, notRun } of results) assert.deepEqual([failed, notRun], [[], []]);
    const { client } = workspace;
    for (const [list, count] of [
      ['listPeople', 1],
      ['listDataSources', 1],
      ['listRoles', 1],
      ['listPermissions', 1],
      ['listSnippets', 2],
    ] as const) {
      assert.equal((await client.call(list, {})).length, count, list);
    }
    assert.deepEqual((await workspace.plan(objects)).steps, []);
  });

  it('grant a permission that begins with its grant once, though one is a few seconds behind the other', async () => {
    const around = [person('ada'), dataSource('billing')];
    await workspace.apply(around);
    const { startsAt: _none, ...open } = permission('ada', 'billing');
    const now = Date.now();
    const plans = await Promise.all(
      [0, -3000, -7000].map((late) => workspace.plan([...around, open], { now: new Date(now + late) })),
    );
    const results = await Promise.all(plans.map((plan) => converge(plan, workspace.client, optionsOf({}))));
    for (const { failed } of results) assert.deepEqual(failed, []);
    assert.equal((await workspace.client.call('listPermissions', {})).length, 1);
  });
});

describe('two runs with different keys that observed the same', () => {
  const workspace = useWorkspace();

  /** A client whose Idempotency-Keys are none that the service knows, as another API key's are. */
  const other = (): Caller => ({
    call: (operation, request, options) =>
      workspace.client.call(
        operation,
        request,
        options?.idempotencyKey === undefined
          ? options
          : { ...options, idempotencyKey: `other-${options.idempotencyKey}`.slice(0, 60) },
      ),
  });

  it('remove what the other removed, and both succeed', async () => {
    await workspace.apply([person('ada'), role('analysts', { people: ['ada'] })]);
    const more = { exact: ['people', 'roles'] } as const;
    const [one, late] = await Promise.all([workspace.plan([], more), workspace.plan([], more)]);
    await converge(one, workspace.client, optionsOf({}));
    const { failed, notRun } = await converge(late, other(), optionsOf({}));
    assert.deepEqual([failed, notRun], [[], []]);
  });
});

describe('what was made and deleted is made again', () => {
  const workspace = useWorkspace();

  it('when a plan wants it again within the day, however often', async () => {
    const around = [person('ada'), dataSource('billing')];
    await workspace.apply(around);
    const ids = new Set<string>();
    let calls: string[] = [];
    for (let time = 0; time < 12; time += 1) {
      workspace.takeCalls();
      await workspace.apply([...around, permission('ada', 'billing')]);
      calls = workspace.takeCalls().filter((operation) => operation === 'createPermission');
      const [granted, ...others] = await workspace.client.call('listPermissions', {});
      assert.ok(granted, `no permission the ${time + 1}. time`);
      assert.deepEqual(others, []);
      ids.add(granted.id);
      await workspace.client.call('deletePermission', { params: { permission: granted.id } });
    }
    assert.equal(ids.size, 12);
    assert.ok(calls.length < 12, `${calls.length} calls to find a key that is free`);
  });

  it('by two runs at the same moment once', async () => {
    const around = [person('ada'), dataSource('billing')];
    const all = [...around, permission('ada', 'billing')];
    await workspace.apply(all);
    const [granted] = await workspace.client.call('listPermissions', {});
    await workspace.client.call('deletePermission', { params: { permission: String(granted?.id) } });
    const plans = await Promise.all([workspace.plan(all), workspace.plan(all)]);
    await Promise.all(plans.map((plan) => converge(plan, workspace.client, optionsOf({}))));
    assert.equal((await workspace.client.call('listPermissions', {})).length, 1);
  });

  it('when what was made under its name was edited since and is another one by now', async () => {
    const objects = [person('ada'), dataSource('billing'), role('analysts'), permission('ada', 'billing')];
    await workspace.apply(objects);
    const { client } = workspace;
    const [ada] = await client.call('listPeople', {});
    const [analysts] = await client.call('listRoles', {});
    const [granted] = await client.call('listPermissions', {});
    const body = { username: 'augusta', email: 'augusta@example.com' };
    await client.call('updatePermission', {
      params: { permission: granted!.id },
      body: { startsAt: '2027-01-01T00:00:00.000Z' },
    });
    assert.deepEqual((await workspace.apply(objects)).result.failed, []);
    assert.equal((await client.call('listPermissions', {})).length, 2);
    await client.call('updatePerson', { params: { person: ada!.id }, body });
    await client.call('updateRole', { params: { role: analysts!.id }, body: { name: 'readers' } });
    assert.deepEqual((await workspace.apply(objects)).result.failed, []);
    assert.deepEqual((await workspace.plan(objects)).steps, []);
    const people = await client.call('listPeople', {});
    assert.deepEqual(people.map(({ username }) => username).sort(), ['ada', 'augusta']);
    const roles = await client.call('listRoles', {});
    assert.deepEqual(roles.map(({ name }) => name).sort(), ['analysts', 'readers']);
  });

  it('whatever kind it is of, and as it is declared by then', async () => {
    const objects = [person('ada'), dataSource('billing'), role('analysts'), snippet('Top customers')];
    await workspace.apply(objects);
    await deleteAll();
    const others = [
      person('ada', { email: 'other@example.com' }),
      dataSource('billing', { uri: 'postgresql://other@db.internal/billing' }),
      role('analysts'),
      snippet('Top customers', { text: 'select 2' }),
    ];
    for (const wanted of [objects, others, objects]) {
      const { failed } = (await workspace.apply(wanted)).result;
      assert.deepEqual(failed, []);
      assert.deepEqual((await workspace.plan(wanted)).steps, []);
      await deleteAll();
    }
  });

  it('when another one has taken its name only for a while', async () => {
    await workspace.apply([snippet('Top customers')]);
    const [made] = await workspace.client.call('listSnippets', {});
    const params = { snippet: String(made?.id) };
    const body = { name: 'Renamed', description: '', text: 'select 1' };
    const version = await workspace.client.call('createSnippetVersion', { params, body });
    await workspace.client.call('activateSnippetVersion', { params: { ...params, snippetVersion: version.id } });
    await workspace.apply([snippet('Top customers')]);
    const names = (await workspace.client.call('listSnippets', {})).map(({ activeVersion }) => activeVersion.name);
    assert.deepEqual(names.sort(), ['Renamed', 'Top customers']);
  });

  async function deleteAll(): Promise<void> {
    const { client } = workspace;
    for (const { id } of await client.call('listPeople', {})) {
      await client.call('lockPerson', { params: { person: id } });
      await client.call('deletePerson', { params: { person: id } });
    }
    for (const { id } of await client.call('listDataSources', {})) {
      await client.call('deleteDataSource', { params: { dataSource: id } });
    }
    for (const { id } of await client.call('listRoles', {})) await client.call('deleteRole', { params: { role: id } });
    for (const { id } of await client.call('listSnippets', {})) {
      await client.call('deleteSnippet', { params: { snippet: id } });
    }
  }
});
