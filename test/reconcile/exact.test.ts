import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ProblemError } from '@rolecall/api';
import { type Caller, createView, type DesiredObject, makePlan } from '@rolecall/reconcile';
import {
  dataSource,
  describeReadings,
  type More,
  membership,
  optionsOf,
  permission,
  person,
  role,
  snippet,
  stateOf,
} from './support.ts';

const all = ['people', 'roles', 'memberships', 'dataSources', 'permissions', 'snippets'] as const;

describeReadings('exact collections and rails', (workspace) => {
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

  it('count what is taken away, with the permissions that fall along', async () => {
    await workspace.apply([
      person('ada'),
      person('grace'),
      dataSource('billing'),
      permission('ada', 'billing'),
      role('analysts', { people: ['ada', 'grace'] }),
    ]);
    const plan = await workspace.plan(
      [person('grace', { locked: true }), dataSource('billing'), role('analysts', { people: [] })],
      { exact: ['people'] },
    );
    assert.deepEqual(plan.removals, { locks: 1, members: 1, people: 1, permissions: 1 });
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

  it('refuse to remove ten or more, and more than their share, and name them and the override', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
    await workspace.apply(people);
    assert.deepEqual((await workspace.plan(people.slice(9), { exact: ['people'] })).refusals, []);
    const plan = await workspace.plan(people.slice(10), { exact: ['people'] });
    assert.deepEqual(
      plan.refusals.map(({ rail, override }) => [rail, override]),
      [['removal-share', 'removal-share:people']],
    );
    assert.match(plan.refusals[0]!.message, /10 of the 12 people .*person0, person1, person2, person3/);
    // Who reads it may have no command line: the flag stands apart.
    assert.match(plan.refusals[0]!.remedy, /by spec\.overrides of the Workspace: "removal-share:people until /);
    assert.doesNotMatch(plan.refusals[0]!.remedy, /--override/);
    const overridden = await workspace.plan(people.slice(10), {
      exact: ['people'],
      overrides: ['removal-share:people'],
    });
    assert.deepEqual(overridden.refusals, []);
  });

  it('call a collection what people call it', async () => {
    const dataSources = Array.from({ length: 10 }, (_, index) => dataSource(`source${index}`));
    await workspace.apply(dataSources);
    const plan = await workspace.plan([], { exact: ['dataSources'] });
    assert.match(plan.refusals[0]!.message, /take away 10 of the 10 data sources \(100 %/);
    assert.equal(plan.refusals[0]!.override, 'removal-share:dataSources');
  });

  it('say in which files that is declared which they are about', async () => {
    const plan = await workspace.plan([
      person('ada', { place: 'access/people.yaml:1' }),
      person('ADA', { name: 'second', place: 'access/more.yaml:9' }),
    ]);
    assert.deepEqual(plan.refusals[0]!.places, ['access/people.yaml:1', 'access/more.yaml:9']);
  });

  it('refuse two definitions of one object', async () => {
    const plan = await workspace.plan([person('ada'), person('ADA', { name: 'second' })]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['declared-twice'],
    );
  });

  it('count what falls with a data source, and say what', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
    const grants = people.map(({ username }) => permission(username, 'billing'));
    await workspace.apply([...people, dataSource('billing'), ...grants]);
    const plan = await workspace.plan(people, { exact: ['dataSources', 'permissions'] });
    assert.deepEqual(
      plan.refusals.map(({ override }) => override),
      ['removal-share:access'],
    );
    assert.match(
      plan.notes[0]!.message,
      /takes along 12 permissions \((person\d+ on billing, ){9}person\d+ on billing and 2 more\)/,
    );
  });

  it('say that a password goes with a data source, where the key may know it, and keep no basis of the plan in it', async () => {
    const password = { env: 'PASSWORD' };
    const secrets = { PASSWORD: 's3cret' };
    await workspace.apply([dataSource('billing', { password }), dataSource('open')], { secrets });
    const plan = await workspace.plan([], { exact: ['dataSources'] });
    assert.deepEqual(
      plan.notes.map(({ object, message }) => [object, message.slice(0, 57)]),
      [['DataSource/billing', 'takes along the password that the workspace holds for it,']],
    );
    assert.doesNotMatch(JSON.stringify(plan), /s3cret/);
    const view = workspace.createView();
    await makePlan(stateOf([], { exact: ['dataSources'] }), view, optionsOf({}));
    assert.deepEqual(
      [...view.readings().keys()].filter((name) => name.startsWith('dataSourceDetail')),
      [],
    );
    const withoutScope = ((operation, ...rest) => {
      if (operation !== 'getDataSourceDetail') return workspace.client.call(operation, ...rest);
      const context = { operationId: operation, method: 'GET', path: '', attempt: 1, ambiguous: false } as const;
      const problem = {
        status: 403,
        code: 'insufficient_scope',
        title: '',
        detail: '',
        errors: [],
        requestId: undefined,
      };
      return Promise.reject(new ProblemError(context, problem));
    }) as Caller['call'];
    const unknowing = await makePlan(
      stateOf([], { exact: ['dataSources'] }),
      createView({ call: withoutScope }),
      optionsOf({}),
    );
    assert.deepEqual([unknowing.steps.length, unknowing.notes], [2, []]);
  });

  it('refuse to delete a large role, unless its members are put into another by the same plan', async () => {
    const people = Array.from({ length: 10 }, (_, index) => person(`person${index}`));
    const usernames = people.map(({ username }) => username);
    const dataSources = ['billing'];
    const all = [...people, dataSource('billing')];
    await workspace.apply([...all, role('old', { people: usernames, dataSources })]);
    const plan = await workspace.plan(all, { exact: ['roles'] });
    assert.deepEqual(
      plan.refusals.map(({ override }) => override),
      ['removal-share:access'],
    );
    const moved = await workspace.plan([...all, role('new', { people: usernames, dataSources })], { exact: ['roles'] });
    assert.deepEqual(moved.refusals, []);
  });

  it('make no call to take a member out of what is deleted anyway', async () => {
    await workspace.apply([
      person('ada'),
      dataSource('billing'),
      role('analysts', { people: ['ada'], dataSources: ['billing'] }),
    ]);
    const plan = await workspace.plan([role('analysts', { people: [], dataSources: [] })], {
      exact: ['people', 'dataSources'],
    });
    assert.deepEqual(plan.steps.map(({ operation }) => operation).sort(), [
      'deleteDataSource',
      'deletePerson',
      'lockPerson',
    ]);
  });

  it('refuse to create a protected role while an undeclared one goes, which looks like a rename', async () => {
    await workspace.apply([role('old', { protected: true })]);
    const renamed = [role('new', { protected: true })];
    const plan = await workspace.plan(renamed, { exact: ['roles'] });
    assert.deepEqual(
      plan.refusals.map(({ override }) => override),
      ['protected:Role/new'],
    );
  });

  it('note an override that is needed no more, and a misspelt one, and one that is used', async () => {
    const admins = (people: string[]) => role('admins', { people, protected: true });
    await workspace.apply([person('ada'), admins(['ada'])]);
    const needless = await workspace.plan([person('ada')], { overrides: ['last-member:Role/admins'] });
    assert.deepEqual(needless.refusals, []);
    assert.equal(needless.notes[0]!.object, 'The override last-member:Role/admins');
    assert.match(needless.notes[0]!.message, /^overrides nothing in this plan: /);
    const misspelt = await workspace.plan([person('ada'), admins([])], { overrides: ['last-member:Role/admin'] });
    assert.deepEqual(
      misspelt.refusals.map(({ rail }) => rail),
      ['last-member'],
    );
    assert.ok(misspelt.notes.some(({ object }) => object === 'The override last-member:Role/admin'));
    const used = await workspace.plan([person('ada'), admins([])], { overrides: ['last-member:Role/admins'] });
    assert.deepEqual(used.refusals, []);
    assert.ok(
      used.notes.some(({ message }) =>
        message.startsWith('is overridden by last-member:Role/admins: Role/admins is protected'),
      ),
    );
  });

  describe('of memberships', () => {
    const exact = ['memberships'] as const;
    const named = ['ada', 'grace', 'linus'].map((name) => person(name));
    const billing = dataSource('billing');
    const reach = membership('analysts', 'billing', {
      name: 'billing-analysts',
      member: { kind: 'DataSource', alias: 'billing' },
    });
    const filled = [
      ...named,
      billing,
      role('analysts', { people: ['ada', 'grace', 'linus'], dataSources: ['billing'] }),
      role('others', { people: ['ada'], dataSources: ['billing'] }),
    ];
    const taken = async (objects: readonly DesiredObject[], more: More = { exact }) => {
      const { refusals, steps } = await workspace.plan([...named, billing, ...objects], more);
      assert.deepEqual(refusals, []);
      return steps.map(({ summary, object }) => `${object.kind}/${object.name}: ${summary}`).sort();
    };

    it('take out of a declared role whom no list and no RoleMembership declares, and of no role that is not known', async () => {
      await workspace.apply(filled);
      const ada = membership('analysts', 'ada');
      assert.deepEqual(await taken([role('analysts'), ada], { exact: [] }), []);
      const leaving = [
        'Role/analysts: remove billing from analysts',
        'Role/analysts: remove grace from analysts',
        'Role/analysts: remove linus from analysts',
      ];
      assert.deepEqual(await taken([role('analysts'), ada]), leaving);
      assert.deepEqual(await taken([role('analysts', { people: ['grace'] }), ada, reach]), [leaving[2]]);
      assert.deepEqual(await taken([role('analysts', { people: ['grace'], dataSources: [] }), ada]), [
        leaving[0],
        leaving[2],
      ]);
      assert.deepEqual(await taken([]), []);
    });

    it('take the same out of a role that only RoleMemberships name', async () => {
      await workspace.apply(filled);
      const { plan } = await workspace.apply([membership('analysts', 'ada'), reach], { exact });
      // Both joined in the same moment, so either may come first.
      const steps = plan.steps.toSorted((one, other) => one.summary.localeCompare(other.summary));
      assert.deepEqual(
        steps.map(({ summary, object }) => [object, summary]),
        ['grace', 'linus'].map((name) => [
          { kind: 'RoleMembership', name: `${name} in analysts`, undeclared: true },
          `remove ${name} from analysts`,
        ]),
      );
      assert.deepEqual(await taken([membership('analysts', 'ada'), reach]), []);
    });

    it('keep what is paused, observed or protected, and all of a role that is paused or observed', async () => {
      await workspace.apply(filled);
      assert.deepEqual(
        await taken([
          role('analysts', { dataSources: ['billing'] }),
          membership('analysts', 'ada', { paused: true }),
          membership('analysts', 'grace', { observeOnly: true }),
          membership('analysts', 'linus', { protected: true }),
        ]),
        [],
      );
      assert.deepEqual(await taken([role('analysts', { paused: true })]), []);
      const seen = await workspace.plan([role('analysts', { observeOnly: true })], { exact });
      assert.deepEqual([seen.steps.length, seen.observed.length], [0, 4]);
    });

    it('remove no one where a definition may mean them by a reference that leads nowhere', async () => {
      await workspace.apply(filled);
      // Held back, as the operator holds what a rail refuses: the plan runs without it.
      const held = { paused: true };
      const slips = [membership('analysts', 'adda', held), membership('analysts', 'ada', { role: 'analyts', ...held })];
      for (const slip of slips) {
        for (const rest of [[role('analysts'), reach], [reach]]) {
          const plan = await workspace.plan([...rest, slip], { exact });
          assert.deepEqual(plan.steps, []);
          assert.ok(plan.notes.some(({ message }) => /^keeps all its members: .* neither declared nor/.test(message)));
        }
      }
      // Who is declared and not there yet is no one who is there.
      const later = [person('mary', { paused: true }), membership('analysts', 'mary', { paused: true })];
      assert.equal((await taken([role('analysts'), reach, ...later])).length, 3);
    });

    it('are held to the rail, like a list', async () => {
      const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
      const all = [...people, dataSource('billing')];
      const usernames = people.map(({ username }) => username);
      await workspace.apply([...all, role('analysts', { people: usernames, dataSources: ['billing'] })]);
      const kept = people.slice(10).map(({ username }) => membership('analysts', username));
      for (const declared of [[role('analysts', { dataSources: ['billing'] })], []]) {
        const plan = await workspace.plan([...all, ...declared, ...kept], { exact });
        assert.deepEqual(
          plan.refusals.map(({ override }) => override),
          ['removal-share:access'],
        );
      }
    });
  });

  describe('of a protected role', () => {
    const admins = (people: string[]) => role('admins', { people, protected: true });
    const refused = async (...parameters: Parameters<typeof workspace.plan>) =>
      (await workspace.plan(...parameters)).refusals.map(
        ({ rail, message, remedy }) => `${rail}: ${message}; ${remedy}`,
      );

    it('refuse to take the last member out, by name', async () => {
      await workspace.apply([person('ada'), person('grace'), admins(['ada', 'grace'])]);
      const [refusal, ...others] = await refused([person('ada'), person('grace'), admins([])]);
      assert.deepEqual(others, []);
      assert.match(
        refusal!,
        /^last-member: Role\/admins is protected .*: ada, grace would be taken out.*; .*rolecall\.dev\/protected/,
      );
      assert.doesNotMatch(refusal!, /override/);
      assert.deepEqual(await refused([person('ada'), person('grace'), admins(['ada'])]), []);
      assert.deepEqual(await refused([admins([])], { overrides: ['last-member:Role/admins'] }), []);
    });

    it('refuse to remove or lock the last member', async () => {
      await workspace.apply([person('ada'), person('grace', { locked: true }), admins(['ada', 'grace'])]);
      const rails = { maxRemovalPercent: 100, minimumRemoval: 1 };
      const open = role('admins', { protected: true });
      const removal = await refused([person('grace', { locked: true }), open], { exact: ['people'], rails });
      assert.match(removal.join('\n'), /^last-member: .*: ada would be/);
      assert.match((await refused([person('ada', { locked: true }), open])).join(), /^last-member: /);
    });

    it('let someone take the place of the last member, and let the last one be edited', async () => {
      await workspace.apply([person('ada'), admins(['ada'])]);
      assert.deepEqual(await refused([person('ada'), person('linus'), admins(['linus'])]), []);
      assert.match((await refused([person('linus', { locked: true }), admins(['linus'])])).join(), /^last-member: /);
      assert.deepEqual(await refused([person('grace'), person('ada'), admins(['ada'])]), []);
      const renewed = person('ada', { email: 'ada@king.example' });
      assert.deepEqual(await refused([renewed, admins(['ada'])]), []);
      assert.match((await refused([renewed, admins([])])).join(), /^last-member: /);
    });
  });
});
