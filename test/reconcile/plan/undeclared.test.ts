import assert from 'node:assert/strict';
import path from 'node:path';
import { it } from 'node:test';
import { type Definition, type ExactCollection, isAnnotated, loadDefinitions } from '@rolecall/crds';
import { desiredState, findUndeclared, makePlanWithClaims } from '@rolecall/reconcile';
import {
  dataSource,
  describeReadings,
  membership,
  optionsOf,
  permission,
  person,
  role,
  snippet,
  stateOf,
} from '../support.ts';

const acme = path.join(import.meta.dirname, '../../../examples/acme');
const secrets = { ACME_BILLING_PASSWORD: 'one', ACME_SHIPPING_PASSWORD: 'two' };

describeReadings('what is not declared', (workspace) => {
  type Given = Parameters<typeof workspace.plan>;

  async function undeclared([objects, more = {}]: Given, whole: boolean) {
    const view = workspace.createView();
    const options = optionsOf(more);
    const { plan, claimed } = await makePlanWithClaims(stateOf(objects, more), view, options);
    return { plan, found: await findUndeclared({ objects, claimed, steps: plan.steps }, view, options.now, whole) };
  }

  it('is removed or named when any definition of examples/acme is deleted, whatever is exact', async () => {
    const { definitions } = await loadDefinitions([acme]);
    const declared = definitions.find((definition) => definition.kind === 'Workspace');
    const desired = (given: readonly Definition[]) => desiredState(given, declared).state;
    const { exact } = desired(definitions);
    assert.ok(exact.includes('memberships'), 'roles include their memberships');
    await workspace.apply(desired(definitions).objects, { secrets });
    const all = desired(definitions).objects;
    assert.deepEqual((await undeclared([all, { exact, secrets }], true)).plan.steps, []);
    const nothing = Object.entries((await undeclared([all, { secrets }], true)).found);
    assert.deepEqual(
      nothing.filter(([, { count }]) => count > 0),
      [],
    );
    for (const deleted of definitions) {
      // What has ended gives no one access, and was never granted here.
      if (deleted.kind === 'Workspace' || isAnnotated(deleted, 'rolecall.dev/ended')) continue;
      const { objects } = desired(definitions.filter((definition) => definition !== deleted));
      for (const collections of [exact, [] as ExactCollection[]]) {
        const { plan, found } = await undeclared([objects, { exact: collections, secrets }], true);
        const said = Object.values(found).flatMap(({ names = [] }) => names);
        assert.ok(plan.steps.length + plan.held.length + said.length > 0, `${deleted.kind}/${deleted.metadata.name}`);
        const isExact = ['Role', 'RoleMembership', 'Permission'].includes(deleted.kind) && collections.length > 0;
        if (isExact)
          assert.ok(plan.steps.length + plan.held.length > 0, `${deleted.kind}/${deleted.metadata.name} is removed`);
      }
    }
  });

  it('is counted without another call, and said to be not counted where that would take one', async () => {
    await workspace.apply([
      person('ada'),
      person('eve'),
      dataSource('billing'),
      role('analysts', { people: ['ada', 'eve'], dataSources: ['billing'] }),
      role('others', { people: ['eve'] }),
      snippet('Top'),
    ]);
    const objects = [person('ada'), dataSource('billing'), membership('analysts', 'ada')];
    workspace.takeCalls();
    await workspace.plan(objects);
    const calls = workspace.takeCalls();
    const { found } = await undeclared([objects], false);
    assert.deepEqual(workspace.takeCalls().sort(), calls.sort());
    assert.deepEqual(found, {
      people: { count: 1 },
      roles: { count: 2 },
      dataSources: { count: 0 },
    });
    const whole = await undeclared([objects], true);
    assert.deepEqual(whole.found, {
      people: { count: 1, names: ['eve'] },
      roles: { count: 2, names: ['analysts', 'others'] },
      memberships: { count: 3, names: ['billing in analysts', 'eve in analysts', 'eve in others'] },
      dataSources: { count: 0, names: [] },
      permissions: { count: 0, names: [] },
      snippets: { count: 1, names: ['Top'] },
    });
  });

  it('is not what the plan removes, what falls with that, or what has ended', async () => {
    const now = new Date();
    const soon = new Date(now.getTime() + 3_600_000).toISOString();
    await workspace.apply([
      person('ada'),
      person('eve'),
      dataSource('billing'),
      role('analysts', { people: ['ada', 'eve'], dataSources: ['billing'] }),
      permission('ada', 'billing'),
      permission('ada', 'billing', { expiresAt: soon, name: 'soon' }),
      permission('eve', 'billing'),
    ]);
    const later = new Date(Date.parse(soon) + 1);
    const { found } = await undeclared([[person('ada')], { exact: ['people'], now: later }], true);
    assert.deepEqual(
      Object.fromEntries(
        Object.entries(found).flatMap(([what, { names = [] }]) => (names.length > 0 ? [[what, names]] : [])),
      ),
      {
        roles: ['analysts'],
        memberships: ['ada in analysts', 'billing in analysts'],
        dataSources: ['billing'],
        permissions: ['ada on billing until 2096-01-01T00:00:00.000Z'],
      },
    );
  });

  it('is no membership of who and what is renamed in the same run', async () => {
    const around = (username: string, roleName: string) => [dataSource('billing'), membership(roleName, username)];
    await workspace.apply([
      person('ada'),
      role('analysts', { dataSources: ['billing'] }),
      ...around('ada', 'analysts'),
    ]);
    const [ada] = await workspace.client.call('listPeople', {});
    const [analysts] = await workspace.client.call('listRoles', {});
    const renamed = [
      person('augusta', { id: ada!.id, name: 'ada', email: ada!.email }),
      role('readers', { id: analysts!.id, name: 'analysts', dataSources: ['billing'] }),
      ...around('augusta', 'readers'),
    ];
    const { found } = await undeclared([renamed], true);
    assert.deepEqual(found.memberships, { count: 0, names: [] });
  });

  it('is no membership of an object that is paused, observed, or one of several that declare it', async () => {
    await workspace.apply([person('ada'), person('grace'), role('analysts', { people: ['ada', 'grace'] })]);
    const { found } = await undeclared(
      [
        [
          person('ada'),
          person('grace'),
          role('analysts', { people: ['ADA'], paused: true }),
          membership('analysts', 'Grace', { observeOnly: true }),
          membership('analysts', 'ada', { paused: true }),
        ],
      ],
      true,
    );
    assert.equal(found.memberships?.count, 0);
  });
});
