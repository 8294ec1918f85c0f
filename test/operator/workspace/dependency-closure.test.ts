import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KindName } from '@rolecall/crds';
import { emailKey, findId, label, makePlan, type Plan, personChanges, personKey, type Step } from '@rolecall/reconcile';
import fc from 'fast-check';
import type { CustomObject } from '../../../operator/resources/custom-object.ts';
import { parseObject } from '../../../operator/resources/parse.ts';
import { type Part, partOf } from '../../../operator/workspace/dependency-closure.ts';
import { gatherDesires } from '../../../operator/workspace/desired-state.ts';
import { createMembers, type Member, type Members } from '../../../operator/workspace/object-index.ts';
import { type SimulatedWorkspace, simulateWorkspace } from '../support/simulated-workspace.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
type Spec = Record<string, unknown>;
type Declared = Record<string, Spec>;

/** What was recorded of an object when it was converged. */
interface Recorded {
  id: string;
  expiresAt?: string;
}

function objectOf(kind: KindName, name: string, spec: Spec, status: Recorded | undefined): CustomObject {
  const creationTimestamp = '2026-01-01T00:00:00Z';
  const metadata = { name, namespace: 'team', uid: `${kind}-${name}`, resourceVersion: '1', generation: 1 };
  const annotations = { 'rolecall.dev/replace-allowed': 'true' };
  return {
    kind,
    metadata: { ...metadata, creationTimestamp, ...(kind === 'Person' ? { annotations } : {}) },
    spec,
    status: status ?? {},
  };
}

function memberOf(name: string, spec: Spec, recorded?: Recorded): Member {
  const [kind, own = ''] = name.split('/');
  const object = objectOf(kind as KindName, own, spec, recorded);
  const parsed = parseObject(object);
  assert.ok('definition' in parsed && parsed.definition.kind !== 'Workspace', JSON.stringify(parsed));
  return { object, definition: parsed.definition };
}

const workspace = (() => {
  const parsed = parseObject(objectOf('Workspace', 'workspace', { url: 'http://workspace.test' }, undefined));
  assert.ok('definition' in parsed && parsed.definition.kind === 'Workspace');
  return parsed.definition;
})();

const named = { read: () => Promise.resolve({ data: {} }) };

function membersOf(declared: Declared, ids: ReadonlyMap<string, Recorded>): Members {
  const members = createMembers();
  for (const [name, spec] of Object.entries(declared)) members.put(memberOf(name, spec, ids.get(name)));
  return members;
}

async function planOf(members: Members, part: Part, { view }: SimulatedWorkspace): Promise<Plan> {
  const all = [...part.compared, ...part.known].flatMap((name) => members.get(name) ?? []);
  const { state } = await gatherDesires(workspace, all, named, now.getTime());
  return makePlan({ ...state, rails: { maxRemovalPercent: 100, minimumCollection: 1 } }, view, {
    workspace: { url: 'http://workspace.test' },
    overrides: [],
    now,
    salt: 'salt',
    resolveSecret: () => Promise.resolve('secret'),
    isCompared: (object) => part.compared.has(label(object)),
    bare: true,
  });
}

const wholeOf = (members: Members): Part => ({ compared: new Set(members.labels()), known: new Set() });

/** Makes a workspace as is declared, and gives what was recorded of each object. */
async function converged(declared: Declared) {
  const simulated = simulateWorkspace();
  const members = membersOf(declared, new Map());
  await simulated.run(await planOf(members, wholeOf(members), simulated));
  const { state } = await gatherDesires(workspace, [...members.all()], named, now.getTime());
  const ids = new Map<string, Recorded>();
  for (const object of state.objects) {
    const id = await findId(object, simulated.view, now);
    if (id !== undefined)
      ids.set(label(object), object.kind === 'Permission' ? { id, expiresAt: object.expiresAt } : { id });
  }
  return { simulated, ids };
}

const usernames = ['ada', 'grace', 'linus', 'joan'];
const aliases = ['billing', 'stock'];
const roleNames = ['analysts', 'support'];
const some = <T>(all: readonly T[]) => fc.subarray([...all]);

const entries = (kind: KindName, names: readonly string[], spec: (name: string) => fc.Arbitrary<Spec>) =>
  fc
    .tuple(...names.map((name) => spec(name).map((made) => [`${kind}/${name}`, made] as const)))
    .map((all) => Object.fromEntries(all));

const declaredSets: fc.Arbitrary<Declared> = fc
  .record({
    members: some(usernames),
    sources: some(aliases),
    names: some(roleNames),
    addresses: fc.shuffledSubarray(usernames, { minLength: usernames.length }),
  })
  .chain(({ members, sources, names, addresses }) =>
    fc.tuple(
      // Objects are called otherwise than what they declare, and addresses may be swapped.
      entries('Person', members, (name) =>
        fc.boolean().map((locked) => ({
          username: `${name}.user`,
          name,
          email: `${addresses[usernames.indexOf(name)] ?? ''}@example.com`,
          locked,
        })),
      ),
      entries('DataSource', sources, (name) =>
        fc.boolean().map((isMoved) => ({ alias: name, uri: `postgresql://reader@${isMoved ? 'new' : 'old'}/${name}` })),
      ),
      entries('Role', names, (name) =>
        fc
          .record({ people: fc.option(some(members)), dataSources: some(sources) })
          .map(({ people, dataSources }) => ({ name: `${name} role`, dataSources, ...(people && { people }) })),
      ),
      entries('RoleMembership', some2(members, names), (name) => {
        const [person, role] = name.split('.');
        return fc.constant({ person, role });
      }),
      // A pair may have several windows, which begin or end together.
      entries('Permission', some3(members, sources, ['first', 'second']), (name) => {
        const [person, dataSource] = name.split('.');
        return fc
          .record({
            startsAt: fc.constantFrom(undefined, '2025-12-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z'),
            expiresAt: fc.constantFrom('2027-01-01T00:00:00.000Z', '2028-01-01T00:00:00.000Z'),
          })
          .map(({ startsAt, expiresAt }) => ({ person, dataSource, expiresAt, ...(startsAt && { startsAt }) }));
      }),
      entries('Snippet', members, (name) =>
        fc.constantFrom('select 1', 'select 2').map((text) => ({ name: 'Mine', text, owner: { person: name } })),
      ),
    ),
  )
  .chain((sets) => {
    const all: Declared = Object.fromEntries(sets.flatMap((set) => Object.entries(set)));
    // Not everything that could be is there.
    const optional = Object.keys(all).filter((name) => /^(RoleMembership|Permission|Snippet)/.test(name));
    return some(optional).map((kept) =>
      Object.fromEntries(Object.entries(all).filter(([name]) => !optional.includes(name) || kept.includes(name))),
    );
  });

const some3 = (a: readonly string[], b: readonly string[], c: readonly string[]): string[] => some2(some2(a, b), c);
const some2 = (a: readonly string[], b: readonly string[]): string[] =>
  a.flatMap((one) => b.map((other) => `${one}.${other}`));

const essence = (steps: readonly Step[]) =>
  steps.map(({ id, object, after }) => ({ id, object: label(object), after: [...after].sort() })).sort(byId);
const idsAndWaits = (steps: readonly Step[]) => essence(steps).map(({ id, after }) => ({ id, after }));
const byId = (a: { id: string }, b: { id: string }): number => (a.id < b.id ? -1 : 1);

describe('the part that changed objects are planned in', () => {
  /** Everything that was declared before is still, some of it otherwise, and more besides. */
  async function changed(before: Declared, after: Declared) {
    const { simulated, ids } = await converged(before);
    const declared = { ...before, ...after };
    const members = membersOf(declared, ids);
    const open = new Set(
      Object.keys(declared).filter((name) => JSON.stringify(before[name]) !== JSON.stringify(declared[name])),
    );
    const people = await simulated.view.people();
    const isOpen = (name: string): boolean => open.has(name);
    const holderOf = (email: string) => people.byEmail.get(emailKey(email))?.at(-1)?.username;
    const isReplaced = ({ object, definition }: Member): boolean => {
      if (definition.kind !== 'Person') return false;
      const { username, name, email } = definition.spec;
      const found = people.byId.get(object.status.id ?? '') ?? people.byKey.get(personKey(username))?.[0];
      return found !== undefined && personChanges({ username, fullName: name, email }, found).length > 0;
    };
    const whole = await planOf(members, wholeOf(members), simulated);
    return {
      simulated,
      members,
      open,
      whole,
      partWith: (chosen: Iterable<string>) => partOf(chosen, members, { isOpen, holderOf, isReplaced }),
    };
  }

  it('makes the same steps as all objects together do, when all that changed is in it', async () => {
    await fc.assert(
      fc.asyncProperty(declaredSets, declaredSets, async (before, after) => {
        const { simulated, members, open, whole, partWith } = await changed(before, after);
        const part = await planOf(members, partWith(open), simulated);
        assert.deepEqual(essence(part.steps), essence(whole.steps));
        assert.deepEqual(part.refusals, whole.refusals);
      }),
      { numRuns: Number(process.env['ROLECALL_PROPERTY_RUNS'] ?? 150) },
    );
  });

  it('makes, for one of them, the steps that it would have among all, unless something is taken away', async () => {
    await fc.assert(
      fc.asyncProperty(declaredSets, declaredSets, fc.nat(), async (before, after, which) => {
        const { simulated, members, open, whole, partWith } = await changed(before, after);
        const chosen = [...open][which % Math.max(1, open.size)];
        if (chosen === undefined) return;
        const part = partWith([chosen]);
        const plan = await planOf(members, part, simulated);
        const ours = new Set(plan.steps.map(({ id }) => id));
        // What a part is refused, the whole would be: who stands in its way is in it.
        const refusals = new Set(whole.refusals.map((refusal) => JSON.stringify(refusal)));
        assert.deepEqual(
          plan.refusals.filter((refusal) => !refusals.has(JSON.stringify(refusal))),
          [],
        );
        const takes = plan.steps.some(({ effect }) => effect !== 'create' && effect !== 'grant' && effect !== 'change');
        if (takes) return;
        // Two objects may ask for one step, which then is the first one's.
        const expected = whole.steps.filter(({ id, object }) => ours.has(id) || part.compared.has(label(object)));
        const restricted = expected.map((step) => ({ ...step, after: step.after.filter((id) => ours.has(id)) }));
        assert.deepEqual(idsAndWaits(plan.steps), idsAndWaits(restricted));
      }),
      { numRuns: Number(process.env['ROLECALL_PROPERTY_RUNS'] ?? 150) },
    );
  });

  it('is small: an object that nobody is joined with is planned alone', () => {
    const declared: Declared = {};
    for (let index = 0; index < 100; index += 1) {
      declared[`Person/p${index}`] = { username: `p${index}`, name: 'P', email: `p${index}@example.com` };
    }
    const members = membersOf(declared, new Map());
    const part = partOf(['Person/p7'], members, {
      isOpen: () => true,
      holderOf: () => undefined,
      isReplaced: () => false,
    });
    assert.deepEqual([...part.compared], ['Person/p7']);
    assert.deepEqual([...part.known], []);
  });

  it('is small, however many windows one person has on one data source', () => {
    const declared: Declared = {
      'Person/ada': { username: 'ada', name: 'Ada', email: 'ada@example.com' },
      'DataSource/billing': { alias: 'billing', uri: 'postgresql://reader@db/billing' },
    };
    const nameOf = (index: number): string => `Permission/t${index}`;
    for (let index = 0; index < 2_000; index += 1) {
      const startsAt = new Date(now.getTime() + index * 1000).toISOString();
      // Of the first ones, two end together.
      const window = { startsAt, duration: index < 100 ? '1h' : '2h' };
      declared[nameOf(index)] = { person: 'ada', dataSource: 'billing', ...window };
    }
    declared[nameOf(2_000)] = {
      person: 'ada',
      dataSource: 'billing',
      expiresAt: new Date(now.getTime() + 3600_000).toISOString(),
    };
    const members = membersOf(declared, new Map());
    const part = partOf([nameOf(0)], members, {
      isOpen: (label) => label === nameOf(0),
      holderOf: () => undefined,
      isReplaced: () => false,
    });
    assert.deepEqual([...part.compared].sort(), [nameOf(0), nameOf(2_000)]);
    assert.deepEqual([...part.known].sort(), ['DataSource/billing', 'Person/ada']);
  });
});
