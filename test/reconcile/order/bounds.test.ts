import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exactCollections } from '@rolecall/crds';
import { converge, type DesiredObject, makePlan, type Plan } from '@rolecall/reconcile';
import fc from 'fast-check';
import { propertyRuns } from '../../support/property-runs.ts';
import { dataSource, membership, optionsOf, permission, person, role, stateOf } from '../support.ts';
import { MemoryWorkspace } from './memory-workspace.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const times = [
  { startsAt: '2026-07-01T00:00:00.000Z', expiresAt: '2026-08-01T00:00:00.000Z' },
  { startsAt: '2026-05-01T00:00:00.000Z', expiresAt: '2026-08-01T00:00:00.000Z' },
  { expiresAt: '2026-06-02T00:00:00.000Z' },
  { startsAt: '2026-04-01T00:00:00.000Z', expiresAt: '2026-05-01T00:00:00.000Z' },
] as const;
/** The windows of permissions: a person may have several for one data source, of which some have not begun. */
const permitted = [
  {},
  { startsAt: '2026-05-01T00:00:00.000Z', expiresAt: '2026-07-01T00:00:00.000Z' },
  { startsAt: '2026-06-08T00:00:00.000Z', expiresAt: '2026-07-01T00:00:00.000Z' },
  { startsAt: '2026-07-08T00:00:00.000Z', expiresAt: '2026-08-01T00:00:00.000Z' },
] as const;
const rails = { maxRemovalPercent: 100, minimumRemoval: 1 };
const exact = exactCollections;
const uri = 'postgresql://reader@db.internal:5432/main';

const usernames = ['ada', 'grace', 'linus', 'barbara'];
const aliases = ['billing', 'stock', 'secret'];
const roleNames = ['analysts', 'admins', 'support'];

const some = <T>(all: readonly T[]) => fc.subarray([...all]);
const most = <T>(all: readonly T[]) => fc.subarray([...all], { minLength: all.length - 1 });
const seldom = fc.oneof({ weight: 6, arbitrary: fc.constant(false) }, { weight: 1, arbitrary: fc.constant(true) });

/** People, data sources, roles with both, and permissions, over few names, so that two states overlap a lot. */
const state: fc.Arbitrary<DesiredObject[]> = fc
  .record({ people: most(usernames), sources: most(aliases), names: most(roleNames) })
  .chain(({ people, sources, names }) =>
    fc.tuple(
      fc.tuple(
        ...people.map((name) =>
          fc
            .record({ locked: seldom, isNew: seldom })
            .map(({ locked, isNew }) => person(name, { locked, email: `${name}@${isNew ? 'new' : 'old'}.example` })),
        ),
      ),
      fc.constant(sources.map((alias) => dataSource(alias, { uri }))),
      fc.tuple(
        ...names.map((name) =>
          fc
            .record({
              members: some(people),
              reached: some(sources),
              besides: fc.subarray([...people], { maxLength: 1 }),
              windows: fc.subarray([undefined, ...times], { minLength: 1, maxLength: 2 }),
            })
            .map(({ members, reached, besides, windows }): DesiredObject[] => [
              role(name, { people: members, dataSources: reached }),
              ...besides.flatMap((username) =>
                windows.map((window) => membership(name, username, window && { window })),
              ),
            ]),
        ),
      ),
      fc.subarray(
        people.flatMap((name) =>
          sources.flatMap((alias) =>
            permitted.map((window, index) => permission(name, alias, { name: `${name}-${alias}-${index}`, ...window })),
          ),
        ),
        { maxLength: 8 },
      ),
    ),
  )
  .map((sets) => sets.flat(2));

/** The same roles with each other's people and data sources, mostly: what needs a bridge. */
const exchanged = (objects: readonly DesiredObject[]): fc.Arbitrary<DesiredObject[]> => {
  const roles = objects.filter((object) => object.kind === 'Role');
  return fc.tuple(fc.shuffledSubarray(roles, { minLength: roles.length }), state).map(([shuffled, other]) => [
    ...objects.filter(({ kind }) => kind !== 'Role' && kind !== 'RoleMembership'),
    ...roles.map((one, index) => ({
      ...one,
      people: shuffled[index]?.people ?? [],
      dataSources: shuffled[index]?.dataSources ?? [],
    })),
    ...other.filter(({ kind }) => kind === 'RoleMembership').filter((one) => references(one, objects)),
  ]);
};

const references = (one: DesiredObject, objects: readonly DesiredObject[]): boolean =>
  one.kind === 'RoleMembership' &&
  one.member.kind === 'Person' &&
  [one.role, one.member.username].every((name) => objects.some((object) => object.name === name));

const transition = state.chain((first) =>
  fc.tuple(fc.constant(first), fc.oneof({ weight: 2, arbitrary: state }, { weight: 1, arbitrary: exchanged(first) })),
);

async function planFor(objects: readonly DesiredObject[], workspace: MemoryWorkspace): Promise<Plan> {
  const plan = await makePlan(stateOf(objects, { exact, rails }), workspace.view, optionsOf({ now }));
  assert.deepEqual(plan.refusals, []);
  return plan;
}

async function settle(objects: readonly DesiredObject[], workspace: MemoryWorkspace): Promise<void> {
  await run(await planFor(objects, workspace), workspace, (steps) => steps[0]);
}

type Step = Plan['steps'][number];

/** Runs a plan one call at a time, in any order that its waits allow. */
async function run(
  { steps, gates = {} }: Plan,
  workspace: MemoryWorkspace,
  choose: (ready: readonly Step[]) => Step | undefined,
  look: (step: Step) => void = () => undefined,
): Promise<void> {
  const done = new Set<string>();
  const ids = new Map<string, string>();
  const isDone = (id: string): boolean => gates[id]?.every(isDone) ?? done.has(id);
  const filled = (values: Record<string, string | { ref: string }>) =>
    Object.fromEntries(
      Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : ids.get(value.ref)!]),
    );
  for (;;) {
    const ready = steps.filter(({ id, after }) => !done.has(id) && after.every(isDone));
    const step = choose(ready);
    if (step === undefined) break;
    // One step at a time, as the engine runs it.
    const { failed } = await converge(
      { steps: [{ ...step, params: filled(step.params), after: [] } as Step], exact },
      workspace.client,
      {
        ...optionsOf({ now }),
        onProgress: ({ ids: made }) => {
          for (const [name, id] of made ?? []) ids.set(name, id);
        },
      },
    );
    assert.deepEqual(failed, []);
    done.add(step.id);
    look(step);
  }
}

describe('between any two calls', () => {
  it('everyone reaches what both states give, and nothing that neither gives', async (context) => {
    let transitions = 0;
    let bridged = 0;
    await fc.assert(
      fc.asyncProperty(transition, fc.infiniteStream(fc.nat()), async ([first, second], numbers) => {
        const start = new MemoryWorkspace(now);
        await settle(first, start);
        const before = start.reached();
        const end = start.copy();
        await settle(second, end);
        const after = end.reached();
        const never = (pair: string): boolean => !before.has(pair) && !after.has(pair);
        const always = [...before.intersection(after)];
        const choose = (ready: readonly Step[]): Step | undefined => {
          const next = numbers.next().value as number;
          return ready[next % Math.max(1, ready.length)];
        };
        const workspace = start.copy();
        const plan = await planFor(second, workspace);
        transitions += 1;
        bridged += plan.steps.some(({ params }) => typeof params['permission'] === 'object') ? 1 : 0;
        const check = ({ summary }: Step): void => {
          const reached = workspace.reached();
          assert.deepEqual([...reached].filter(never), [], `reached by no state, after: ${summary}`);
          assert.deepEqual(
            always.filter((pair) => !reached.has(pair)),
            [],
            `interrupted, after: ${summary}`,
          );
        };
        // Ends after so many calls, as a run that is killed does, and the next run ends it.
        const most = (numbers.next().value as number) % (plan.steps.length + 1);
        let calls = 0;
        await run(plan, workspace, (ready) => ((calls += 1) > most ? undefined : choose(ready)), check);
        await run(await planFor(second, workspace), workspace, choose, check);
        assert.deepEqual(workspace.reached(), after);
        assert.deepEqual((await planFor(second, workspace)).steps, []);
      }),
      { numRuns: propertyRuns({ quick: 40, all: 300 }) },
    );
    context.diagnostic(`${transitions} transitions, ${bridged} with a bridge`);
  });

  it('everyone reaches what both states give, also where a role is refused', async () => {
    await fc.assert(
      fc.asyncProperty(transition, fc.nat(), fc.infiniteStream(fc.nat()), async ([first, second], index, numbers) => {
        const workspace = new MemoryWorkspace(now);
        await settle(first, workspace);
        const end = workspace.copy();
        await settle(second, end);
        const always = [...workspace.reached().intersection(end.reached())];
        const roles = second.filter(({ kind }) => kind === 'Role');
        const misspelt = roles[index % roles.length];
        const objects = second.map((one) =>
          one === misspelt && one.kind === 'Role' ? { ...one, people: [...(one.people ?? []), 'typo'] } : one,
        );
        const choose = (ready: readonly Step[]): Step | undefined =>
          ready[(numbers.next().value as number) % Math.max(1, ready.length)];
        // The second run begins with what the first one has left.
        for (const _ of ['first', 'second']) {
          const plan = await makePlan(stateOf(objects, { exact, rails }), workspace.view, optionsOf({ now }));
          assert.ok(plan.refusals.some(({ rail }) => rail === 'missing-reference'));
          await run(plan, workspace, choose, ({ summary }) => {
            const reached = workspace.reached();
            assert.deepEqual(
              always.filter((pair) => !reached.has(pair)),
              [],
              `interrupted, after: ${summary}`,
            );
          });
        }
      }),
      { numRuns: propertyRuns({ quick: 40, all: 300 }) },
    );
  });

  it('runs no call more than there are changes where an order keeps both bounds', async () => {
    const workspace = new MemoryWorkspace(now);
    const around = [person('ada'), person('bob'), dataSource('secret', { uri }), dataSource('public', { uri })];
    await settle([...around, role('r1', { people: ['ada'], dataSources: ['secret'] })], workspace);
    const plan = await planFor([...around, role('r1', { people: ['bob'], dataSources: ['public'] })], workspace);
    assert.deepEqual(plan.steps.map(({ summary }) => summary).sort(), [
      'add bob to r1',
      'add public to r1',
      'remove ada from r1',
      'remove secret from r1',
    ]);
    const after = new Map(plan.steps.map((step) => [step.summary, step.after]));
    assert.deepEqual(after.get('add bob to r1'), ['removeRoleDataSource ["r1","secret"]']);
    assert.deepEqual(after.get('add public to r1'), ['removeRolePerson ["r1","ada"]']);
  });

  it('bridges the fewest pairs where two roles change places', async () => {
    const workspace = new MemoryWorkspace(now);
    const around = [person('ada'), person('bob'), dataSource('billing', { uri }), dataSource('stock', { uri })];
    const [ada, bob] = [
      { people: ['ada'], dataSources: ['billing'] },
      { people: ['bob'], dataSources: ['stock'] },
    ];
    await settle([...around, role('r1', ada), role('r2', bob)], workspace);
    const wanted = [...around, role('r1', bob), role('r2', ada)];
    const plan = await planFor(wanted, workspace);
    const bridges = plan.steps.filter(({ object }) => object.kind === 'Permission');
    assert.deepEqual(
      bridges.map(({ operation, effect, body }) => [operation, effect, body]),
      [
        ['createPermission', 'replace', { duration: 3600 }],
        ['deletePermission', 'replace', undefined],
      ],
    );
    assert.equal(plan.steps.length, 8 + bridges.length);
    const look = (): void => {
      assert.deepEqual(workspace.reached(), new Set(['ada billing', 'bob stock']));
    };
    await run(plan, workspace, (ready) => ready.at(-1), look);
    assert.equal(workspace.permissions.size, 0);
    assert.deepEqual((await planFor(wanted, workspace)).steps, []);
  });

  it('no one loses what a run has bridged that stopped, however far the clock of the service is ahead or behind', async () => {
    const around = [person('ada'), person('bob'), dataSource('billing', { uri }), dataSource('stock', { uri })];
    const [ada, bob] = [
      { people: ['ada'], dataSources: ['billing'] },
      { people: ['bob'], dataSources: ['stock'] },
    ];
    const wanted = [...around, role('r1', bob), role('r2', ada)];
    for (const aheadMs of [-120_000, -1000, 0, 999, 61_000, 7_200_000]) {
      for (let stop = 0; stop <= 10; stop += 1) {
        const workspace = new MemoryWorkspace(new Date(now.getTime() + aheadMs));
        await settle([...around, role('r1', ada), role('r2', bob)], workspace);
        const seen: string[] = [];
        const look = ({ summary }: Step): void => {
          seen.push(summary);
          const where = `${aheadMs} ms ahead, stopped after ${stop} calls: ${seen.join('; ')}`;
          assert.deepEqual(workspace.reached(), new Set(['ada billing', 'bob stock']), where);
        };
        const first = await planFor(wanted, workspace);
        await run(first, workspace, (ready) => (seen.length < stop ? ready[0] : undefined), look);
        // The last step that may run comes first: one that waits for too little is seen.
        await run(await planFor(wanted, workspace), workspace, (ready) => ready.at(-1), look);
        assert.equal(workspace.permissions.size, 0);
      }
    }
  });
});
