import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exactCollections } from '@rolecall/crds';
import { makePlan } from '@rolecall/reconcile';
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

describeReadings('Person', (workspace) => {
  it('is created once, and needs nothing afterwards', async () => {
    const { result } = await workspace.apply([person('ada')]);
    assert.equal(result.done.length, 1);
    assert.deepEqual((await workspace.plan([person('ada')])).steps, []);
  });

  it('is adopted when someone with the username exists, whatever its case', async () => {
    await workspace.apply([person('Ada')]);
    assert.deepEqual(
      (await workspace.plan([person('ada', { fullName: 'Ada Example', email: 'ADA@example.com' })])).steps,
      [],
    );
  });

  it('has one address however its domain is written', async () => {
    await workspace.apply([person('ada', { email: 'ada@münchen.example' })]);
    assert.equal((await workspace.client.call('listPeople', {}))[0]?.email, 'ada@xn--mnchen-3ya.example');
    for (const email of ['ada@münchen.example', 'ada@MÜNCHEN.example', 'ada@xn--mnchen-3ya.example']) {
      assert.deepEqual((await workspace.plan([person('ada', { email })])).steps, []);
    }
    const { steps } = await workspace.plan([person('ada', { email: 'ada@munchen.example' })]);
    assert.deepEqual(
      steps.map(({ operation }) => operation),
      ['updatePerson'],
    );
  });

  it('is locked right after being created, before anything is granted', async () => {
    const { plan, result } = await workspace.apply([
      person('ada', { locked: true }),
      role('analysts', { people: ['ada'] }),
    ]);
    const lock = plan.steps.find(({ operation }) => operation === 'lockPerson');
    const grant = plan.steps.find(({ operation }) => operation === 'addRolePerson');
    assert.ok(lock !== undefined && grant?.after.includes(lock.id));
    assert.equal(result.failed.length, 0);
    assert.equal((await workspace.client.call('listPeople', {}))[0]?.isLocked, true);
  });

  it('is unlocked again when locked behind the back of what is declared', async () => {
    await workspace.apply([person('ada')]);
    const [ada] = await workspace.client.call('listPeople', {});
    await workspace.client.call('lockPerson', { params: { person: ada!.id } });
    const { plan } = await workspace.apply([person('ada')]);
    assert.deepEqual(
      plan.steps.map(({ operation, effect }) => [operation, effect]),
      [['unlockPerson', 'change']],
    );
    assert.deepEqual((await workspace.plan([person('ada')])).steps, []);
  });

  it('is edited in place, by one call, and keeps what they have', async () => {
    const around = [
      role('analysts', { people: ['ada'] }),
      dataSource('billing'),
      permission('ada', 'billing'),
      snippet('Mine', { owner: { kind: 'Person', username: 'ada' } }),
    ];
    await workspace.apply([person('ada'), ...around]);
    const [ada] = await workspace.client.call('listPeople', {});
    const changed = person('ada', { fullName: 'Ada King', email: 'king@example.com' });
    const { plan, result } = await workspace.apply([changed, ...around]);
    assert.deepEqual(
      plan.steps.map(({ operation, effect, changes }) => [operation, effect, changes]),
      [
        [
          'updatePerson',
          'change',
          [
            { field: 'name', from: 'ada Example', to: 'Ada King' },
            { field: 'email', from: 'ada@example.com', to: 'king@example.com' },
          ],
        ],
      ],
    );
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(people, [{ ...ada, name: 'Ada King', email: 'king@example.com' }]);
    assert.deepEqual((await workspace.plan([changed, ...around], { exact: exactCollections })).steps, []);
  });

  it('is renamed where the front end remembers who it is, and all that refers to the new name means the same person', async () => {
    const around = (username: string) => [
      role('analysts', { people: [username] }),
      membership('others', username),
      role('others'),
      dataSource('billing'),
      permission(username, 'billing', { name: 'grant' }),
      snippet('Mine', { owner: { kind: 'Person', username } }),
    ];
    await workspace.apply([person('ada'), ...around('ada')]);
    const [ada] = await workspace.client.call('listPeople', {});
    const renamed = [person('augusta', { id: ada!.id, name: 'ada', email: ada!.email }), ...around('augusta')];
    const { plan } = await workspace.apply(renamed, { exact: exactCollections });
    assert.deepEqual(
      plan.steps.map(({ operation }) => operation),
      ['updatePerson'],
    );
    assert.deepEqual(plan.refusals, []);
    assert.deepEqual((await workspace.plan(renamed, { exact: exactCollections })).steps, []);
  });

  it('is not edited on a service that has only the specified interface: the change is refused, with the remedy', async () => {
    await workspace.apply([person('ada')]);
    const view = { ...workspace.createView(), edits: () => false };
    const state = stateOf([person('ada', { fullName: 'Ada King' }), dataSource('billing')], {});
    const plan = await makePlan(state, view, optionsOf({}));
    assert.deepEqual(
      [plan.refusals.map(({ rail }) => rail), plan.steps.map(({ operation }) => operation)],
      [['not-editable'], ['createDataSource']],
    );
    assert.equal(
      plan.refusals[0]!.message,
      'Person/ada would change name from ada Example to Ada King, and this service cannot edit people',
    );
  });

  it('exchanges names with another, by one call more for each name', async () => {
    await workspace.apply([person('ada'), person('grace')]);
    const people = await workspace.client.call('listPeople', {});
    const idOf = (name: string) => people.find(({ username }) => username === name)?.id ?? '';
    const [ada, grace] = [idOf('ada'), idOf('grace')];
    for (const [emails, count] of [
      [['ada@example.com', 'grace@example.com'], 3],
      [['grace@example.com', 'ada@example.com'], 6],
    ] as const) {
      const named = (await workspace.client.call('listPeople', {})).map(({ id, username }) => [id, username] as const);
      const [now, other] = [Object.fromEntries(named)[ada]!, Object.fromEntries(named)[grace]!];
      const exchanged = [
        person(other, { id: ada, name: 'first', email: emails[0], fullName: 'First' }),
        person(now, { id: grace, name: 'second', email: emails[1], fullName: 'Second' }),
      ];
      const { plan, result } = await workspace.apply(exchanged);
      assert.deepEqual([plan.refusals, result.failed, plan.steps.length], [[], [], count]);
      assert.deepEqual((await workspace.plan(exchanged)).steps, []);
    }
  });

  it('is the same person whatever the case and Unicode form of the name', async () => {
    const names = ['Zoë Weiß', 'ZOË WEISS', 'zoë weiß'.normalize('NFD'), 'Zoë WEIß'];
    for (const made of names) {
      await workspace.apply([person('zoe', { fullName: made })]);
      for (const fullName of names) {
        const { steps, refusals } = await workspace.plan([person('zoe', { fullName })]);
        assert.deepEqual([steps, refusals], [[], []], `${made} as ${fullName}`);
      }
    }
    // An accent is no spelling of the letter without it.
    assert.deepEqual(
      (await workspace.plan([person('zoe', { fullName: 'Zoe Weiß' })])).steps.map(({ operation }) => operation),
      ['updatePerson'],
    );
  });

  it('keeps a name that is ignored, but not the address beside it', async () => {
    await workspace.apply([person('ada', { fullName: 'From the directory' })]);
    const ignoring = person('ada', { fullName: 'Ada Lovelace', ignored: ['name'] });
    assert.deepEqual((await workspace.plan([ignoring])).steps, []);
    const { plan } = await workspace.apply([{ ...ignoring, email: 'ada@king.example' }]);
    assert.deepEqual(
      plan.steps.flatMap(({ changes = [] }) => changes.map(({ field }) => field)),
      ['email'],
    );
    assert.equal((await workspace.client.call('listPeople', {}))[0]?.name, 'From the directory');
  });

  it('is refused when another person has the e-mail address, before any call', async () => {
    await workspace.apply([person('grace', { email: 'shared@example.com' })]);
    const plan = await workspace.plan([person('ada', { email: 'Shared@example.com' })]);
    assert.deepEqual(
      plan.refusals.map(({ rail }) => rail),
      ['email-taken'],
    );
    assert.match(plan.refusals[0]!.message, /grace/);
  });

  it('is not renamed to a username that another person keeps', async () => {
    await workspace.apply([person('ada'), person('grace')]);
    const people = await workspace.client.call('listPeople', {});
    const [ada, grace] = ['ada', 'grace'].map((name) => people.find(({ username }) => username === name)?.id ?? '');
    const renamed = person('grace', { id: ada!, name: 'ada', email: 'ada@example.com' });
    for (const around of [[], [person('hedy', { id: grace!, paused: true })]]) {
      const { refusals, steps } = await workspace.plan([renamed, ...around]);
      const [taken] = refusals.filter(({ objects }) => objects.includes('Person/ada'));
      assert.deepEqual([taken?.rail, steps], ['username-taken', []]);
      assert.match(taken!.message, /declares the username grace, which another person in the workspace has/);
    }
    // One who is renamed in the same run gives it up first.
    const given = [renamed, person('hedy', { id: grace!, name: 'grace' })];
    const made = [
      person('grace', { name: 'new', email: 'n@x.example' }),
      person('hedy', { id: grace!, name: 'grace' }),
    ];
    for (const objects of [given, made]) {
      const { plan, result } = await workspace.apply(objects);
      assert.deepEqual([plan.refusals, result.failed, plan.steps.length], [[], [], 2]);
      assert.equal(plan.steps[0]?.object.name, 'grace');
      await workspace.apply([person('ada', { id: ada!, name: 'ada' }), person('grace', { id: grace!, name: 'grace' })]);
    }
  });

  it('who is to have the username of a stranger gives that one nothing', async () => {
    const { email } = person('ada');
    await workspace.apply([person('ada'), dataSource('billing'), role('r', { people: ['ada'] })]);
    const [ada] = await workspace.client.call('listPeople', {});
    const body = { name: 'Al', username: 'al', email: 'al@other.example' };
    const stranger = await workspace.client.call('createPerson', { body });
    const objects = [
      person('al', { id: ada!.id, name: 'ada', email }),
      dataSource('billing'),
      role('r', { people: ['al'] }),
      permission('al', 'billing'),
    ];
    const { plan } = await workspace.apply(objects);
    assert.ok(plan.refusals.some(({ rail }) => rail === 'username-taken'));
    const [analysts] = await workspace.client.call('listRoles', {});
    const members = await workspace.client.call('listRolePeople', { params: { role: analysts!.id } });
    const granted = await workspace.client.call('listPermissions', {});
    assert.deepEqual(
      [members.map(({ id }) => id), granted.filter((one) => one.person.id === stranger.id)],
      [[ada!.id], []],
    );
    const exact = await workspace.apply(objects, { exact: ['people'] });
    assert.deepEqual([exact.plan.refusals, exact.result.failed], [[], []]);
    assert.deepEqual((await workspace.plan(objects, { exact: ['people'] })).steps, []);
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(
      people.map((one) => [one.username, one.email]),
      [['al', email]],
    );
  });

  it('whose new username is refused keeps what the definitions give under it, also from exact collections', async () => {
    const around = [dataSource('billing'), role('r', { dataSources: ['billing'] })];
    await workspace.apply([person('ada'), ...around, membership('r', 'ada'), permission('ada', 'billing')]);
    const [ada] = await workspace.client.call('listPeople', {});
    const renamed = person('al', { id: ada!.id, name: 'ada' });
    const given = [membership('r', 'al'), permission('al', 'billing')];
    const taken = await workspace.client.call('createPerson', {
      body: { name: 'Al', username: 'al', email: 'al@other.example' },
    });
    const { refusals, steps } = await workspace.plan([renamed, ...around, ...given], {
      exact: ['memberships', 'permissions'],
    });
    assert.deepEqual([refusals.map(({ rail }) => rail), steps], [['username-taken'], []]);
    assert.equal(taken.username, 'al');
  });

  it('takes over the e-mail address of someone who goes in the same plan, after they went', async () => {
    await workspace.apply([person('grace', { email: 'shared@example.com' })]);
    const heir = person('ada', { email: 'shared@example.com' });
    const { plan, result } = await workspace.apply([heir], { exact: ['people'] });
    assert.deepEqual([plan.refusals, result.failed], [[], []]);
    assert.deepEqual((await workspace.plan([heir], { exact: ['people'] })).steps, []);
  });

  it('exchanges e-mail addresses with another', async () => {
    await workspace.apply([person('ada', { email: 'a@x.example' }), person('grace', { email: 'g@x.example' })]);
    const swapped = [person('ada', { email: 'g@x.example' }), person('grace', { email: 'a@x.example' })];
    const { plan, result } = await workspace.apply(swapped);
    assert.deepEqual([plan.refusals, result.failed, result.notRun], [[], [], []]);
    assert.deepEqual((await workspace.plan(swapped)).steps, []);
  });

  it('who is only observed is shown and not written', async () => {
    const { plan, result } = await workspace.apply([person('ada', { observeOnly: true })]);
    assert.deepEqual(
      plan.observed.map(({ operation }) => operation),
      ['createPerson'],
    );
    assert.deepEqual([plan.steps, result.done], [[], []]);
    assert.deepEqual(await workspace.client.call('listPeople', {}), []);
  });

  it('who is paused is left as found, with a note', async () => {
    const plan = await workspace.plan([person('ada', { paused: true })]);
    assert.deepEqual(plan.steps, []);
    assert.match(plan.notes[0]!.message, /paused/);
  });
});
