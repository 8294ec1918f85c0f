import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import { converge, type DesiredObject, type DesiredRole, makePlan, type Plan } from '@rolecall/reconcile';
import { propertyRuns } from '../../support/property-runs.ts';
import { MemoryWorkspace } from '../order/memory-workspace.ts';
import { dataSource, type More, optionsOf, permission, person, role, stateOf } from '../support.ts';
import { Chance, Organisation, withRoles } from './organisation.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const exact = ['people', 'roles', 'memberships', 'dataSources', 'permissions'] as const;
const free = { maxRemovalPercent: 100, minimumRemoval: 1 };

const planOf = (objects: readonly DesiredObject[], workspace: MemoryWorkspace, more: More = {}): Promise<Plan> =>
  makePlan(stateOf(objects, { exact, ...more }), workspace.view, optionsOf({ now, ...more }));

async function apply(objects: readonly DesiredObject[], workspace: MemoryWorkspace): Promise<void> {
  const plan = await planOf(
    objects.map((object) => ('critical' in object ? { ...object, critical: false } : object)),
    workspace,
    { rails: free },
  );
  const { failed } = await converge(plan, workspace.client, optionsOf({ now }));
  assert.deepEqual(failed, []);
}

async function workspaceWith(objects: readonly DesiredObject[]): Promise<MemoryWorkspace> {
  const workspace = new MemoryWorkspace(now);
  await apply(objects, workspace);
  return workspace;
}

const tokensOf = ({ refusals }: Plan) => refusals.map(({ override }) => override);

describe('the rails over the history of an organisation', () => {
  const merges = 100;
  const sizes = [
    [40, 20, 15],
    [100, 50, 35],
  ] as const;
  for (const [people, dataSources, teams] of sizes.slice(0, propertyRuns({ quick: 1, all: 2 }))) {
    it(`refuse no more than 2 of 100 small merges of ${people} people`, async () => {
      const organisation = new Organisation(new Chance(people), people, dataSources, teams);
      const workspace = await workspaceWith(organisation.objects);
      const refused: string[] = [];
      for (let merge = 0; merge < merges; merge += 1) {
        const kind = organisation.merge();
        const plan = await planOf(organisation.objects, workspace);
        if (plan.refusals.length === 0) await converge(plan, workspace.client, optionsOf({ now }));
        else {
          refused.push(`${kind}: ${plan.refusals.map(({ message }) => message).join('; ')}`);
          await apply(organisation.objects, workspace);
        }
      }
      assert.ok(refused.length <= merges * 0.02, `${refused.length} of ${merges} were refused:\n${refused.join('\n')}`);
    });
  }
});

/** Ways to lose the access of an organisation by mistake: what the definitions become. */
const disasters: Readonly<
  Record<string, (objects: readonly DesiredObject[], old: readonly DesiredObject[]) => DesiredObject[]>
> = {
  'an empty directory': () => [],
  'the folder of the roles is missing': (objects) => objects.filter(({ kind }) => kind !== 'Role'),
  'the folder of the people is missing': (objects) => objects.filter(({ kind }) => kind !== 'Person'),
  'the folder of the data sources is missing': (objects) => objects.filter(({ kind }) => kind !== 'DataSource'),
  'the folder of the permissions is missing': (objects) => objects.filter(({ kind }) => kind !== 'Permission'),
  'the branch of another organisation': () =>
    new Organisation(new Chance(99), 50, 20, 10).objects.map((object) => renamed(object, 'other')),
  'a branch of years ago': (_objects, old) => [...old],
  'the first half of a file': (objects) =>
    withRoles(objects, (one, index, all) => (index < all.length / 2 ? one : undefined)),
  'the second half of a file': (objects) =>
    withRoles(objects, (one, index, all) => (index < all.length / 2 ? undefined : one)),
  'each list is cut in half': (objects) =>
    withRoles(objects, (one) => ({ ...one, people: (one.people ?? []).slice((one.people?.length ?? 0) / 2) })),
  'a generator that writes no people': (objects) => withRoles(objects, (one) => ({ ...one, people: [] })),
  'a generator that writes no data sources': (objects) => withRoles(objects, (one) => ({ ...one, dataSources: [] })),
  'a generator that writes the first person only': (objects) =>
    withRoles(objects, (one) => ({ ...one, people: (one.people ?? []).slice(0, 1) })),
  'a generator that is off by a line': (objects) =>
    withRoles(objects, (one, index, all) => ({ ...one, people: all[(index + 1) % all.length]?.people ?? [] })),
  'a generator that writes other usernames': (objects) =>
    objects.map((object) => (object.kind === 'DataSource' ? object : renamed(object, 'corp'))),
  'all people are moved to one role': (objects) => [
    ...withRoles(objects, () => undefined),
    role('default', { people: people(objects), dataSources: ['source101'] }),
  ],
  'a lost list of people': (objects) => {
    const largest = rolesBySize(objects)[0];
    return withRoles(objects, (one) => (one.role === largest?.role ? { ...one, people: [] } : one));
  },
  'a lost list of data sources': (objects) => {
    const largest = rolesBySize(objects)[0];
    return withRoles(objects, (one) => (one.role === largest?.role ? { ...one, dataSources: [] } : one));
  },
  'all roles with fewer than ten members are emptied': (objects) =>
    withRoles(objects, (one) => ((one.people?.length ?? 0) < 10 ? { ...one, people: [] } : one)),
  'everybody is locked': (objects) =>
    objects.map((object) => (object.kind === 'Person' ? { ...object, locked: true } : object)),
  'every third person is locked': (objects) =>
    objects.map((object, index) =>
      object.kind === 'Person' && index % 3 === 0 ? { ...object, locked: true } : object,
    ),
  'a data source is taken out of all roles': (objects) => {
    const taken = busiest(objects);
    return withRoles(objects, (one) => ({
      ...one,
      dataSources: (one.dataSources ?? []).filter((alias) => alias !== taken),
    }));
  },
};

const rolesOf = (objects: readonly DesiredObject[]): DesiredRole[] =>
  objects.filter((object) => object.kind === 'Role');
const people = (objects: readonly DesiredObject[]): string[] =>
  objects.flatMap((object) => (object.kind === 'Person' ? [object.username] : []));
const rolesBySize = (objects: readonly DesiredObject[]) =>
  rolesOf(objects).toSorted((a, b) => (b.people?.length ?? 0) - (a.people?.length ?? 0));

function busiest(objects: readonly DesiredObject[]): string | undefined {
  const counts = new Map<string, number>();
  for (const one of rolesOf(objects)) {
    for (const alias of one.dataSources ?? []) counts.set(alias, (counts.get(alias) ?? 0) + (one.people?.length ?? 0));
  }
  return [...counts].toSorted(([, a], [, b]) => b - a)[0]?.[0];
}

function renamed(object: DesiredObject, suffix: string): DesiredObject {
  const other = (name: string): string => `${name}-${suffix}`;
  switch (object.kind) {
    case 'Person':
      return person(other(object.username));
    case 'DataSource':
      return dataSource(other(object.alias));
    case 'Role': {
      const sources = suffix === 'corp' ? object.dataSources : object.dataSources?.map(other);
      return role(object.role, { people: object.people?.map(other) ?? [], dataSources: sources ?? [] });
    }
    case 'Permission':
      return {
        ...object,
        person: other(object.person),
        dataSource: suffix === 'corp' ? object.dataSource : other(object.dataSource),
      };
    default:
      return object;
  }
}

describe('the rails refuse each disaster', () => {
  const organisation = new Organisation(new Chance(7), 100, 60, 40);
  const old = organisation.objects;
  let workspace = new MemoryWorkspace(now);
  before(async () => {
    for (let merge = 0; merge < 500; merge += 1) organisation.merge();
    workspace = await workspaceWith(organisation.objects);
  });

  for (const [name, change] of Object.entries(disasters)) {
    it(name, async () => {
      const plan = await planOf(change(organisation.objects, old), workspace);
      assert.notDeepEqual(plan.held, [], 'nothing would happen');
      assert.ok(
        plan.refusals.some(({ rail }) => rail === 'removal-share' || rail === 'missing-reference'),
        `not refused: ${JSON.stringify(plan.refusals)}`,
      );
    });
  }
});

const named = (word: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${word}${index}`);

describe('the share of access', () => {
  const all = named('person', 100);
  const base = (people_: readonly string[] = all): DesiredObject[] => [
    ...all.map((name) => person(name)),
    ...['billing', 'stock', 'wiki'].map((alias) => dataSource(alias, { uri })),
    role('everyone', { people: all, dataSources: ['stock', 'wiki'] }),
    role('finance', { people: people_, dataSources: ['billing'] }),
  ];
  const uri = 'postgresql://reader@db.internal:5432/main';

  it('counts the people who lose one data source, and names them and the override', async () => {
    const workspace = await workspaceWith(base(all.slice(0, 30)));
    assert.deepEqual((await planOf(base(all.slice(9, 30)), workspace)).refusals, [], '9 are below the least');
    const plan = await planOf(base(all.slice(10, 30)), workspace);
    assert.deepEqual(tokensOf(plan), ['removal-share:access/billing']);
    assert.match(
      plan.refusals[0]!.message,
      /10 of the 30 people who reach billing \(33 %, allowed are 15 %\): person0, /,
    );
    const overridden = await planOf(base(all.slice(10, 30)), workspace, {
      overrides: ['removal-share:access/billing'],
    });
    assert.deepEqual(overridden.refusals, []);
  });

  it('lets a team rotate, but not a large one', async () => {
    const workspace = await workspaceWith(base(all.slice(0, 30)));
    assert.deepEqual((await planOf(base(all.slice(19, 49)), workspace)).refusals, []);
    const plan = await planOf(base(all.slice(20, 50)), workspace);
    assert.deepEqual(tokensOf(plan), ['removal-share:access/billing']);
    assert.match(plan.refusals[0]!.message, /, and add 20 others: /);
  });

  it('counts locks as all that the person reaches, and does not count whom another role keeps', async () => {
    const workspace = await workspaceWith(base(all.slice(0, 30)));
    const locked = base(all.slice(0, 30)).map((object) =>
      object.kind === 'Person' && all.indexOf(object.username) < 40 ? { ...object, locked: true } : object,
    );
    assert.deepEqual(tokensOf(await planOf(locked, workspace)), ['removal-share:access']);
    const moved = [...base([]), role('ledger', { people: all.slice(0, 30), dataSources: ['billing'] })];
    assert.deepEqual((await planOf(moved, workspace)).refusals, []);
  });

  it('counts permissions that would begin only later', async () => {
    const granted = (year: number) => [
      ...base([]),
      ...all.slice(0, 30).map((name) => permission(name, 'billing', { startsAt: `${year}-01-01T00:00:00.000Z` })),
    ];
    const workspace = await workspaceWith(granted(2026));
    assert.deepEqual(tokensOf(await planOf(granted(2062), workspace)), [
      'removal-share:permissions',
      'removal-share:access/billing',
    ]);
  });

  it('counts data sources that no one reaches as objects', async () => {
    const sources = named('source', 12).map((alias) => dataSource(alias, { uri }));
    const workspace = await workspaceWith([...base(), ...sources]);
    assert.deepEqual((await planOf([...base(), ...sources.slice(9)], workspace)).refusals, []);
    assert.deepEqual(tokensOf(await planOf(base(), workspace)), ['removal-share:dataSources']);
  });

  it('reads who reaches what only of the people concerned, where they lose little', async () => {
    const teams = named('team', 30).map((name) => role(name, { people: all.slice(0, 3) }));
    const workspace = await workspaceWith([...base(), ...teams]);
    workspace.calls.splice(0);
    await planOf(base(all.slice(1)), workspace, { exact: [] });
    assert.equal(workspace.calls.filter((call) => call === 'listRolePeople').length, 2);
    assert.equal(workspace.calls.filter((call) => call === 'listPersonRoles').length, 1);
    workspace.calls.splice(0);
    await planOf(base(all.slice(10)), workspace, { exact: [] });
    assert.equal(workspace.calls.filter((call) => call === 'listRolePeople').length, 32);
  });
});

describe('what is critical', () => {
  const all = named('person', 40);
  const uri = 'postgresql://reader@db.internal:5432/main';
  const state = (members: readonly string[], more: Partial<DesiredRole> = {}): DesiredObject[] => [
    ...all.map((name) => person(name)),
    dataSource('payroll', { uri, critical: true }),
    role('payroll', { people: members, dataSources: ['payroll'], ...more }),
  ];

  it('is not taken from two at once, nor from the last', async () => {
    const workspace = await workspaceWith(state(all.slice(0, 5)));
    assert.deepEqual((await planOf(state(all.slice(1, 5)), workspace)).refusals, []);
    const plan = await planOf(state(all.slice(2, 5)), workspace);
    assert.deepEqual(tokensOf(plan), ['critical:DataSource/payroll']);
    assert.match(plan.refusals[0]!.message, /2 of the 5 people who reach it would lose it: person0, person1/);
    const alone = await workspaceWith(state(all.slice(0, 1)));
    assert.deepEqual(tokensOf(await planOf(state([]), alone)), ['critical:DataSource/payroll']);
    assert.deepEqual((await planOf(state(all.slice(1, 2)), alone)).refusals, [], 'one follows the other');
  });

  it('may lose a tenth of its people', async () => {
    const workspace = await workspaceWith(state(all));
    assert.deepEqual((await planOf(state(all.slice(4)), workspace)).refusals, []);
    assert.deepEqual(tokensOf(await planOf(state(all.slice(5)), workspace)), ['critical:DataSource/payroll']);
  });

  it('is a role too: its members count, locked ones as gone', async () => {
    const critical = { dataSources: [], critical: true };
    const workspace = await workspaceWith(state(all.slice(0, 5), critical));
    const locked = state(all.slice(0, 5), critical).map((object) =>
      object.kind === 'Person' && all.indexOf(object.username) < 2 ? { ...object, locked: true } : object,
    );
    assert.deepEqual(tokensOf(await planOf(locked, workspace)), ['critical:Role/payroll']);
  });
});
