import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { defaultRails } from '@rolecall/crds';
import type { DesiredObject, Plan } from '@rolecall/reconcile';
import { dataSource, membership, permission, person, role, snippet, useWorkspace } from '../support.ts';

const summaries = ({ steps }: Pick<Plan, 'steps'>): string[] => steps.map(({ summary }) => summary);
const rails = ({ refusals }: Plan): string[] => refusals.map(({ rail }) => rail);

describe('a refusal holds up what it is about, and nothing else', () => {
  const workspace = useWorkspace('in one call');

  /** A second snippet of one name, as anyone with an editor can make it. */
  const another = (name: string) =>
    workspace.client.call('createSnippet', {
      body: {
        name,
        description: '',
        text: 'select 2',
        isLocked: false,
        publicAccessLevel: 'none',
        owner: 'none',
        ownerPersonId: null,
        ownerRoleId: null,
      },
    });

  it('an ambiguous snippet keeps no revocation and no grant from running', async () => {
    const state = (people: string[]): DesiredObject[] => [
      person('ada'),
      person('grace'),
      dataSource('billing'),
      role('analysts', { people, dataSources: ['billing'] }),
      snippet('Top'),
    ];
    await workspace.apply(state(['ada']));
    await another('Top');
    const { plan, result } = await workspace.apply(state(['grace']));
    assert.deepEqual(rails(plan), ['ambiguous']);
    assert.deepEqual(summaries(plan).sort(), ['add grace to analysts', 'remove ada from analysts']);
    assert.equal(result.done.length, 2);
    const [one, other] = await workspace.client.call('listSnippets', {});
    assert.ok(one !== undefined && other !== undefined);
    assert.match(plan.refusals[0]!.remedy, new RegExp(`rolecall\\.dev/id: "(${one.id}|${other.id})"`));
  });

  it('no one is renamed to a username whose holder a rail keeps', async () => {
    await workspace.apply([person('ada'), person('grace'), ...['b', 'c', 'd'].map((name) => person(name))]);
    const people = await workspace.client.call('listPeople', {});
    const { id = '' } = people.find(({ username }) => username === 'ada') ?? {};
    const renamed = person('grace', { id, name: 'ada', email: 'ada@example.com' });
    const rails = { ...defaultRails, maxRemovalPercent: 1, minimumRemoval: 1 };
    const plan = await workspace.plan([renamed], { exact: ['people'], rails });
    assert.deepEqual([plan.refusals.map(({ rail }) => rail), summaries(plan)], [['removal-share'], []]);
  });

  it('the id of the object that is meant ends the ambiguity, and the other one is left alone, or removed where that is exact', async () => {
    await workspace.apply([snippet('Top')]);
    const meant = await another('Top');
    const pinned = snippet('Top', { id: meant.id, description: 'the one' });
    const plan = await workspace.plan([pinned]);
    assert.deepEqual(rails(plan), []);
    assert.deepEqual(
      plan.steps.map(({ params }) => params['snippet']),
      [meant.id, meant.id],
    );
    const { plan: exact } = await workspace.apply([pinned], { exact: ['snippets'] });
    assert.ok(summaries(exact).includes('delete Top'));
    assert.deepEqual((await workspace.plan([snippet('Top', { description: 'the one' })])).refusals, []);
  });

  it('two definitions with one id are refused', async () => {
    const plan = await workspace.plan([snippet('Top', { id: '1' }), snippet('Low', { id: '1' }), person('ada')]);
    assert.deepEqual(rails(plan), ['declared-twice']);
    assert.deepEqual(summaries(plan), ['create ada (ada Example, ada@example.com)']);
  });

  it('a person whose edit is refused is held up, and loses what they are to lose', async () => {
    const state = (people: string[], email: string): DesiredObject[] => [
      person('ada', { email }),
      person('grace'),
      role('analysts', { people }),
    ];
    await workspace.apply(state(['ada', 'grace'], 'ada@example.com'));
    const plan = await workspace.plan(state(['grace'], 'grace@example.com'));
    assert.deepEqual(rails(plan), ['email-taken']);
    assert.deepEqual(summaries(plan), ['remove ada from analysts']);
    assert.deepEqual(summaries({ steps: plan.held }), ['edit the email of ada']);
  });

  it('what waits for a call that is held up is held up too', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
    const wide = Array.from({ length: 80 }, (_, index) => person(`other${index}`));
    const usernames = people.map(({ username }) => username);
    const state = (members: string[], reached: string[]): DesiredObject[] => [
      ...people,
      ...wide,
      ...['secret', 'public', 'wiki'].map((alias) => dataSource(alias)),
      role('everyone', { people: wide.map(({ username }) => username), dataSources: ['wiki'] }),
      role('analysts', { people: members, dataSources: reached }),
      role('others', { people: ['other0', 'other1'], dataSources: ['wiki'] }),
    ];
    await workspace.apply(state(usernames, ['secret']));
    // Neither state gives other0 the secret, so that other0 waits for those whom the rail keeps.
    const plan = await workspace.plan([
      ...state(['other0'], ['public']).filter(({ name }) => name !== 'others'),
      role('others', { people: ['other0'], dataSources: ['wiki'] }),
    ]);
    assert.deepEqual(
      plan.refusals.map(({ override }) => override),
      ['removal-share:access/secret'],
    );
    assert.deepEqual(summaries(plan), ['remove other1 from others']);
    assert.equal(plan.held.length, 12 + 3);
  });

  it('an undeclared person to whom a definition refers stays as they are, and another one goes', async () => {
    await workspace.apply([person('ada'), person('eve'), role('analysts')]);
    const plan = await workspace.plan([role('analysts'), membership('analysts', 'ada')], { exact: ['people'] });
    assert.deepEqual(rails(plan), ['still-referenced']);
    assert.deepEqual(summaries(plan), ['add ada to analysts', 'lock eve, to be deleted', 'delete eve']);
  });

  it('where all of the workspace is at stake, nothing runs, grants neither', async () => {
    const people = Array.from({ length: 12 }, (_, index) => person(`person${index}`));
    const usernames = people.map(({ username }) => username);
    const state = (members: string[]): DesiredObject[] => [
      ...people,
      dataSource('billing'),
      role('analysts', { people: members, dataSources: ['billing'] }),
    ];
    await workspace.apply(state(usernames));
    const plan = await workspace.plan([...state([]), person('mallory')]);
    assert.deepEqual(rails(plan), ['removal-share']);
    assert.deepEqual(plan.steps, []);
    assert.equal(plan.held.length, 13);
  });

  it('no permission is granted for an hour that the run does not end, and nothing that would wait for it runs', async () => {
    const around = [
      ...['ada', 'bob', 'zoe', 'kim', 'leo'].map((name) => person(name)),
      dataSource('billing'),
      dataSource('stock', { critical: true }),
    ];
    const team = (name: string, people: string[], alias: string) => role(name, { people, dataSources: [alias] });
    await workspace.apply([
      ...around,
      team('one', ['ada'], 'billing'),
      team('other', ['bob', 'zoe', 'kim', 'leo'], 'stock'),
    ]);
    const exchanged = [...around, team('one', ['bob'], 'stock'), team('other', ['ada'], 'billing')];
    const plan = await workspace.plan(exchanged);
    assert.deepEqual(rails(plan), ['critical']);
    assert.deepEqual(summaries(plan), []);
    assert.ok(plan.held.some(({ summary }) => summary.startsWith('let ada reach billing for at most an hour')));
    const free = await workspace.plan(exchanged, { overrides: ['critical:DataSource/stock'] });
    assert.ok(summaries(free).some((summary) => summary.startsWith('let ada reach billing for at most an hour')));
  });

  describe('where the deletion of a person is held up, what they were to lose goes by itself', () => {
    const around = [person('ada'), dataSource('billing'), dataSource('stock')];
    const team = (...people: string[]) => role('team', { people, dataSources: ['billing'] });

    it('out of a role, though a definition still refers to them', async () => {
      await workspace.apply([...around, person('bob'), team('ada', 'bob')]);
      const forgotten = permission('bob', 'stock', { ended: true, expiresAt: '2026-02-01T00:00:00.000Z' });
      const { plan } = await workspace.apply([...around, team('ada'), forgotten], { exact: ['people'] });
      assert.deepEqual(rails(plan), ['still-referenced']);
      assert.deepEqual(summaries(plan), ['remove bob from team']);
      assert.deepEqual(summaries({ steps: plan.held }), ['lock bob, to be deleted', 'delete bob']);
    });

    it('a permission too', async () => {
      await workspace.apply([...around, person('bob'), permission('bob', 'stock')]);
      const observed = role('other', { people: ['bob'], observeOnly: true });
      const { plan } = await workspace.apply([...around, observed], { exact: ['people', 'permissions'] });
      assert.deepEqual(rails(plan), ['still-referenced']);
      assert.match(summaries(plan).join(), /^end the permission of bob on stock/);
    });

    it('whatever holds it up, and what that holds up of the rest stays held up', async () => {
      const leaving = Array.from({ length: 3 }, (_, index) => `leaver${index}`);
      await workspace.apply([...around, ...leaving.map((name) => person(name)), team('ada', ...leaving)]);
      const strict = { ...defaultRails, maxRemovalPercent: 15, minimumRemoval: 2 };
      const overrides = ['removal-share:access', 'removal-share:access/billing'];
      // Another person is to have the e-mail address of one who stays for now.
      const heir = person('heir', { email: 'leaver0@example.com' });
      const { plan } = await workspace.apply([...around, heir, team('ada')], {
        ...{ exact: ['people'], rails: strict, overrides },
      });
      assert.deepEqual(rails(plan), ['removal-share']);
      assert.deepEqual(
        summaries(plan),
        leaving.map((name) => `remove ${name} from team`),
      );
      assert.equal(plan.held.length, 2 * leaving.length + 1);
    });

    it('and the roles of which only some calls are held up are planned as before', async () => {
      const critical = (...people: string[]) => role('team', { people, critical: true });
      const names = ['zoe', 'kim', 'carl'];
      const staying = [person('ada'), ...names.map((name) => person(name))];
      const leaving = [person('bob'), person('leo')];
      await workspace.apply([...staying, ...leaving, role('team', { people: ['zoe', 'kim', 'bob', 'leo', 'ada'] })]);
      const { plan } = await workspace.apply([...staying, critical('ada', 'carl')], { exact: ['people'] });
      assert.deepEqual(rails(plan), ['critical']);
      assert.deepEqual(summaries(plan), ['add carl to team']);
    });

    it('a lock that runs all the same is not undone', async () => {
      await workspace.apply([...around, person('bob'), team('ada', 'bob'), snippet('Top')]);
      const [bob] = (await workspace.client.call('listPeople', {})).filter(({ username }) => username === 'bob');
      await workspace.client.call('createSnippet', {
        body: {
          ...{ name: 'Top', description: '', text: 'select 2', isLocked: false, publicAccessLevel: 'none' },
          ...{ owner: 'person', ownerPersonId: bob?.id ?? null, ownerRoleId: null },
        },
      });
      const { plan } = await workspace.apply([...around, team('ada'), snippet('Top')], { exact: ['people'] });
      assert.deepEqual(rails(plan), ['ambiguous']);
      assert.deepEqual(summaries(plan), ['lock bob, to be deleted']);
    });
  });

  describe('what a refused object was to give in place of something', () => {
    const around = [...['ada', 'bob'].map((name) => person(name)), dataSource('billing'), dataSource('stock')];
    const before = [
      role('old', { people: ['ada', 'bob'], dataSources: ['billing'] }),
      role('store', { people: ['ada'], dataSources: ['stock'] }),
    ];
    const emptied = [
      role('old', { people: [], dataSources: ['billing'] }),
      role('store', { people: [], dataSources: ['stock'] }),
    ];
    const refused = role('new', { people: ['ada', 'typo'], dataSources: ['billing'] });

    it('is not taken, and all else is', async () => {
      await workspace.apply([...around, ...before]);
      const { plan } = await workspace.apply([...around, ...emptied, refused]);
      assert.deepEqual(rails(plan), ['missing-reference']);
      assert.deepEqual(summaries(plan), ['remove bob from old', 'remove ada from store']);
      assert.ok(summaries({ steps: plan.held }).includes('remove ada from old'));
      const again = await workspace.plan([...around, ...emptied, refused]);
      assert.deepEqual(summaries(again), []);
      const mended = await workspace.plan([...around, ...emptied, { ...refused, people: ['ada'] }]);
      assert.ok(summaries(mended).includes('remove ada from old'));
    });

    it('is not taken with a role or a permission that no definition declares', async () => {
      await workspace.apply([...around, role('old', { people: ['ada'], dataSources: ['billing'] })]);
      const plan = await workspace.plan([...around, refused], { exact: ['roles'] });
      assert.deepEqual(summaries(plan), []);
      await workspace.apply([...around, permission('ada', 'billing')], { exact: ['roles'] });
      const exact = ['permissions'] as const;
      assert.deepEqual(summaries(await workspace.plan([...around, refused], { exact })), []);
    });

    it('is not taken where a permission was to give it that no service grants', async () => {
      await workspace.apply([...around, role('old', { people: ['ada'], dataSources: ['billing'] })]);
      const tooLong = permission('ada', 'billing', { expiresAt: '2196-01-01T00:00:00.000Z' });
      const plan = await workspace.plan([...around, role('old', { people: [], dataSources: ['billing'] }), tooLong]);
      assert.deepEqual(rails(plan), ['window-too-long']);
      assert.deepEqual(summaries(plan), []);
    });

    it('keeps no one from being locked or deleted', async () => {
      await workspace.apply([...around, ...before]);
      const state = [person('ada', { locked: true }), ...around.slice(2), ...emptied, refused];
      const plan = await workspace.plan(state, { exact: ['people'] });
      for (const summary of ['lock ada', 'remove ada from old', 'lock bob, to be deleted', 'delete bob'])
        assert.ok(summaries(plan).includes(summary), summary);
    });

    it('is not taken where a bridge was to hold it meanwhile', async () => {
      const team = (name: string, people: string[], alias: string) => role(name, { people, dataSources: [alias] });
      await workspace.apply([...around, team('one', ['ada'], 'billing'), team('other', ['bob'], 'stock')]);
      const plan = await workspace.plan([
        ...around,
        team('one', ['bob'], 'stock'),
        team('other', ['ada', 'typo'], 'billing'),
      ]);
      assert.deepEqual(rails(plan), ['missing-reference']);
      assert.ok(!summaries(plan).includes('remove ada from one'));
      assert.ok(!summaries(plan).includes('remove billing from one'));
    });
  });
});
