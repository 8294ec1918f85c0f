import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converge, type DesiredObject, makePlan, type Plan, type View } from '@rolecall/reconcile';
import { MemoryWorkspace } from '../order/memory-workspace.ts';
import { dataSource, type More, membership, optionsOf, permission, person, role, stateOf } from '../support.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const exact = ['people', 'roles', 'memberships', 'dataSources', 'permissions'] as const;
const named = (word: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${word}${index}`);
const team = named('person', 12);
const others = named('other', 100);
const everybody = [...team, ...others].map((name) => person(name));
const billing = dataSource('billing', { uri: 'postgresql://reader@db.internal:5432/main' });

/** A workspace in memory that says what its service would: who its administrators are, and which snippets roles own. */
async function workspaceWith(objects: readonly DesiredObject[], says: Partial<View> = {}) {
  const workspace = new MemoryWorkspace(now);
  const plan = (desired: readonly DesiredObject[], more: More & { bare?: boolean } = {}): Promise<Plan> =>
    makePlan(
      stateOf(desired, { exact, ...more }),
      { ...workspace.view, ...says },
      { ...optionsOf({ now, ...more }), bare: more.bare ?? false },
    );
  const free = { rails: { maxRemovalPercent: 100, minimumRemoval: 1 } };
  const { failed } = await converge(await plan(objects, free), workspace.client, optionsOf({ now }));
  assert.deepEqual(failed, []);
  return { plan, calls: workspace.calls };
}

const tokensOf = ({ refusals }: Plan) => refusals.map(({ override }) => override);
const empty = (name: string, people: readonly string[]) => role(name, { people, dataSources: [] });
const crowd = empty('crowd', others);

describe('the share of memberships', () => {
  it('refuses to empty a role without data sources, names who leaves it, and takes an override', async () => {
    const { plan } = await workspaceWith([...everybody, crowd, empty('admins', team)]);
    const emptied = [...everybody, crowd, empty('admins', [])];
    const refused = await plan(emptied);
    assert.deepEqual(tokensOf(refused), ['removal-share:memberships/admins']);
    assert.match(
      refused.refusals[0]!.message,
      /12 of the 12 people in the role admins \(100 %, allowed are 15 %\): person0, .* and 2 more/,
    );
    assert.deepEqual([refused.steps.length, refused.held.length], [0, 12]);
    const overridden = await plan(emptied, { overrides: ['removal-share:memberships/admins'] });
    assert.deepEqual([overridden.refusals.length, overridden.steps.length], [0, 12]);
    const nine = [...everybody, crowd, empty('admins', team.slice(9))];
    assert.deepEqual((await plan(nine)).refusals, [], 'fewer than the least');
    const rotated = [...everybody, crowd, empty('admins', others.slice(0, 12))];
    assert.deepEqual((await plan(rotated)).refusals, [], 'a team that rotates');
  });

  it('adds up the small roles of the workspace, and holds up the whole run', async () => {
    const small = named('team', 20);
    const of = (size: (index: number) => number) => small.map((name, index) => empty(name, team.slice(0, size(index))));
    const { plan } = await workspaceWith([...everybody, ...of(() => 4)]);
    assert.deepEqual((await plan([...everybody, ...of((index) => (index < 3 ? 0 : 4))])).refusals, []);
    const refused = await plan([...everybody, billing, ...of((index) => (index < 4 ? 0 : 4))]);
    assert.deepEqual(tokensOf(refused), ['removal-share:memberships']);
    assert.match(
      refused.refusals[0]!.message,
      /16 of the 80 memberships of people in roles \(20 %.*person0 in team0, /,
    );
    assert.deepEqual(refused.steps, []);
  });

  it('counts people who are locked or deleted, and roles that go', async () => {
    const teams = named('team', 4).map((name, index) => empty(name, others.slice(index * 10, index * 10 + 10)));
    const { plan } = await workspaceWith([...everybody, ...teams]);
    const gone = new Set(others.slice(0, 8));
    const locked = everybody.map((one) => (gone.has(one.username) ? { ...one, locked: true } : one));
    assert.deepEqual((await plan([...locked, ...teams])).refusals, []);
    const many = everybody.map((one) => (others.slice(0, 20).includes(one.username) ? { ...one, locked: true } : one));
    assert.deepEqual(tokensOf(await plan([...many, ...teams])), ['removal-share:memberships']);
    assert.deepEqual(tokensOf(await plan([...everybody, ...teams.slice(1)])), ['removal-share:memberships']);
    const left = everybody.filter(({ username }) => !others.slice(0, 20).includes(username));
    const lists = teams.map((one, index) => empty(one.role, index < 2 ? [] : (one.people ?? [])));
    assert.ok(tokensOf(await plan([...left, ...lists])).includes('removal-share:memberships'));
  });

  it('says once what goes: where access is refused, memberships that go with it are not named again', async () => {
    const finance = (people: readonly string[]) => role('finance', { people, dataSources: ['billing'] });
    const base = [...everybody, billing];
    const { plan } = await workspaceWith([...base, finance(team), empty('admins', team)]);
    assert.deepEqual(tokensOf(await plan([...base, finance([]), empty('admins', team)])), ['removal-share:access']);
    assert.deepEqual(tokensOf(await plan([...base, finance([]), empty('admins', [])])), [
      'removal-share:access',
      'removal-share:memberships',
    ]);
  });

  it('counts a role whose data source many others reach', async () => {
    const everyone = role('everyone', { people: others, dataSources: ['billing'] });
    const finance = (people: readonly string[]) => role('finance', { people, dataSources: ['billing'] });
    const { plan } = await workspaceWith([...everybody, billing, everyone, finance(team)]);
    const refused = await plan([...everybody, billing, everyone, finance([])]);
    assert.deepEqual(tokensOf(refused), ['removal-share:memberships/finance']);
  });

  it('counts who would have the role only later, and holds that up; what was to come all along is no loss', async () => {
    const from = (year: number) => [
      role('admins', { dataSources: [] }),
      ...team.map((name) => membership('admins', name, { window: { startsAt: `${year}-01-01T00:00:00.000Z` } })),
    ];
    const says = { adminRole: () => Promise.resolve('admins') };
    const { plan } = await workspaceWith([...everybody, crowd, ...from(2026)], says);
    const refused = await plan([...everybody, crowd, ...from(2062)]);
    assert.deepEqual(tokensOf(refused), ['removal-share:memberships/admins', 'critical:Role/admins']);
    assert.deepEqual([refused.steps.length, refused.held.length], [0, 12]);
    const later = await workspaceWith([...everybody, crowd, ...from(2062)], says);
    assert.deepEqual((await later.plan([...everybody, crowd, ...from(2063)])).refusals, []);
  });

  it('finds the slip of a list by a line, though everyone is in as many roles as before', async () => {
    const lists = named('team', 6).map((_name, index) => others.slice(index * 12, index * 12 + 12));
    const teams = (shift: number) =>
      lists.map((_list, index) => empty(`team${index}`, lists[(index + shift) % lists.length] ?? []));
    const { plan } = await workspaceWith([...everybody, ...teams(0)]);
    assert.deepEqual(tokensOf(await plan([...everybody, ...teams(1)])), ['removal-share:memberships']);
  });
});

describe('a membership is not lost', () => {
  const [before, after] = [empty('one', team), empty('two', team)];
  const wide = role('wide', { people: [], dataSources: ['billing', 'stock'] });
  const narrow = (people: readonly string[]) => role('narrow', { people, dataSources: ['billing'] });
  const stock = dataSource('stock', { uri: 'postgresql://reader@db.internal:5432/stock' });
  const sources = [billing, stock];
  const changes: Readonly<Record<string, readonly [from: readonly DesiredObject[], to: readonly DesiredObject[]]>> = {
    'if the role has another name': [[before], [after]],
    'if people go over to another role': [
      [before, empty('two', others.slice(0, 3))],
      [empty('one', []), empty('two', [...others.slice(0, 3), ...team])],
    ],
    'if two roles become one': [[empty('one', team), empty('two', others)], [empty('both', [...team, ...others])]],
    'if a role is split': [[empty('one', others)], [empty('one', others.slice(0, 50)), empty('two', others.slice(50))]],
    'if a list takes over what single objects gave': [
      [role('one', { dataSources: [] }), ...team.map((name) => membership('one', name))],
      [before],
    ],
    'if single objects take over from a list': [
      [before],
      [role('one', { dataSources: [] }), ...team.map((name) => membership('one', name))],
    ],
    'if the people are in a role that gives the same and more': [
      [narrow(team), { ...wide, people: team }],
      [narrow([]), { ...wide, people: team }],
    ],
    'if a role that they are in comes to give the same, as one that contains it': [
      [narrow(team), role('outer', { people: team, dataSources: ['stock'] })],
      [narrow([]), role('outer', { people: team, dataSources: ['stock', 'billing'] })],
    ],
    'if permissions give what the role gave': [
      [narrow(team)],
      [narrow([]), ...team.map((name) => permission(name, 'billing', { startsAt: '2026-01-01T00:00:00.000Z' }))],
    ],
    'if people are edited': [
      [before],
      [before, ...everybody.map((one) => ({ ...one, email: `${one.username}@new.example` }))],
    ],
  };
  for (const [name, [from, to]] of Object.entries(changes)) {
    it(name, async () => {
      const { plan } = await workspaceWith([...everybody, ...sources, ...from]);
      const people = to.some(({ kind }) => kind === 'Person') ? [] : everybody;
      assert.deepEqual((await plan([...people, ...sources, ...to])).refusals, []);
    });
  }

  it('but one new role makes up for one, not for each that a person leaves', async () => {
    const teams = named('team', 4).map((name) => empty(name, team));
    const { plan } = await workspaceWith([...everybody, ...teams]);
    assert.deepEqual(tokensOf(await plan([...everybody, empty('default', team)])), ['removal-share:memberships']);
  });
});

describe('a role that matters by its name', () => {
  const state = (people: readonly string[], name = 'ops') => [...everybody, crowd, empty(name, people)];
  const says = { adminRole: () => Promise.resolve('ops') };

  it('is that of the administrators: it does not lose two, nor the last, and the plan names each', async () => {
    const { plan } = await workspaceWith(state(team.slice(0, 3)), says);
    const one = await plan(state(team.slice(1, 3)));
    assert.deepEqual(one.refusals, []);
    assert.deepEqual(one.notes, [
      { object: 'Role/ops', message: 'has the administrators of the workspace, and would lose person0' },
    ]);
    const two = await plan(state(team.slice(2, 3)));
    assert.deepEqual(tokensOf(two), ['critical:Role/ops']);
    assert.match(
      two.refusals[0]!.message,
      /^Role\/ops has the administrators of the workspace, and 2 of the 3 people who are in it would lose it: person0, person1$/,
    );
    assert.deepEqual((await plan(state(team.slice(2, 3)), { overrides: ['critical:Role/ops'] })).refusals, []);
    assert.deepEqual((await plan(state(team.slice(2, 5)), { bare: true })).refusals, [], 'two follow two');
  });

  it('has no administrators under another name, though all its members go along', async () => {
    const { plan } = await workspaceWith(state(team.slice(0, 3)), says);
    assert.deepEqual(tokensOf(await plan(state(team.slice(0, 3), 'operations'))), ['critical:Role/ops']);
    const undeclared = await plan([...everybody, crowd]);
    assert.deepEqual(tokensOf(undeclared), ['critical:Role/ops']);
  });

  const owned = (name: string) => ({
    id: name,
    ownerPerson: null,
    ownerRole: { id: '', name: 'ops' },
    activeVersion: { name },
  });
  /** The snippets of the role ops, for which the service is asked. */
  const withSnippets = () => {
    const calls: string[] = [];
    const all = ['Top', 'Mine'].map(owned);
    const snippets = async (this_: View) => {
      calls.push('listSnippets');
      const id = (await this_.roles()).all.find(({ name }) => name === 'ops')?.id ?? '';
      return { all: all.map((one) => ({ ...one, ownerRole: { id, name: 'ops' } })) };
    };
    return { calls, snippets };
  };

  it('is one that owns snippets: the plan says who leaves it, and a refusal whose they are', async () => {
    const { calls, snippets } = withSnippets();
    const workspace = new MemoryWorkspace(now);
    const planOf = (objects: readonly DesiredObject[], more: More = {}) => {
      const { view } = workspace;
      // Of a snippet, only what this rail reads.
      const says = { ...view, snippets: () => snippets(view) as unknown as ReturnType<View['snippets']> };
      return makePlan(stateOf(objects, { exact, ...more }), says, optionsOf({ now, ...more }));
    };
    const free = { rails: { maxRemovalPercent: 100, minimumRemoval: 1 } };
    await converge(await planOf(state(team), free), workspace.client, optionsOf({ now }));
    calls.splice(0);
    assert.deepEqual((await planOf(state(team.slice(1)))).notes, []);
    assert.deepEqual(calls, [], 'the snippets are not read for one who leaves');
    const emptied = await planOf(state([]));
    assert.match(
      emptied.refusals[0]!.message,
      /12 of the 12 people in the role ops, which owns 2 snippets \(Top, Mine\) \(100 %/,
    );
    assert.deepEqual(
      emptied.notes.map(({ object, message }) => [object, message.slice(0, 50)]),
      [['Role/ops', 'owns 2 snippets (Top, Mine), and would lose person']],
    );
    const moved = await planOf([...state([]), empty('two', team)]);
    assert.deepEqual(tokensOf(moved), ['removal-share:memberships/ops'], 'another role does not own them');
  });
});
