import assert from 'node:assert/strict';
import { it } from 'node:test';
import { exactCollections } from '@rolecall/crds';
import { type DesiredObject, describeAccess, makePlan, type Plan } from '@rolecall/reconcile';
import fc from 'fast-check';
import { accessWords } from '../../../reconcile/review/words.ts';
import { assertPlanSchema } from '../../support/plan-schema.ts';
import { propertyRuns } from '../../support/property-runs.ts';
import { access } from '../crash/dump.ts';
import { generatedTransition } from '../crash/generated.ts';
import {
  dataSource,
  describeReadings,
  type More,
  membership,
  optionsOf,
  permission,
  person,
  role,
  stateOf,
  withNeededOverrides,
} from '../support.ts';

const now = new Date('2026-06-01T00:00:00.000Z');
const all = { exact: exactCollections, rails: { maxRemovalPercent: 100, minimumRemoval: 1 } };
const base = [person('ada'), person('grace'), dataSource('billing'), dataSource('stock')];
const analysts = role('analysts', { people: ['ada', 'grace'], dataSources: ['billing'] });

describeReadings('what a plan does to access', (workspace) => {
  async function describePlan(objects: readonly DesiredObject[], more: More = {}): Promise<Plan> {
    const view = workspace.createView();
    const plan = await describeAccess(
      await makePlan(stateOf(objects, more), view, optionsOf({ now, ...more })),
      view,
      now,
    );
    assertPlanSchema(plan);
    return plan;
  }
  const words = async (objects: readonly DesiredObject[], more: More = {}): Promise<string[]> => {
    const { access: changes = [], createdAt } = await describePlan(objects, more);
    return accessWords(changes, (name) => name, createdAt);
  };

  it('names who gains what, through what', async () => {
    assert.deepEqual(await words([...base, analysts]), ['ada, grace gain billing through analysts']);
  });

  it('names who loses what, and by which other way they still reach it', async () => {
    await workspace.apply([...base, analysts, role('support', { people: ['grace'], dataSources: ['billing'] })]);
    assert.deepEqual(await words([role('analysts', { people: [] })]), [
      'ada loses billing (through analysts)',
      'grace loses billing (through analysts), still reaches it through support',
    ]);
  });

  it('tells another way from another access', async () => {
    await workspace.apply([...base, analysts]);
    assert.deepEqual(
      await words([
        role('analysts', { people: ['ada'] }),
        role('readers', { people: ['grace', 'ada'], dataSources: ['billing'] }),
      ]),
      [
        'ada gains billing through readers too, reaches it through analysts already',
        'grace reaches billing through readers instead of through analysts',
      ],
    );
  });

  it('tells grants for a time by their window', async () => {
    await workspace.apply([...base, permission('grace', 'billing')]);
    const later = { startsAt: '2095-01-01T00:00:00.000Z', expiresAt: '2095-02-01T00:00:00.000Z' };
    assert.deepEqual(await words([...base, permission('ada', 'stock', later)], { exact: ['permissions'] }), [
      'ada gains stock from 2095-01-01T00:00Z until 2095-02-01T00:00Z',
      'grace loses billing (granted until 2096-01-01T00:00Z)',
    ]);
  });

  it('counts a lock as the loss of all, and its end as the gain', async () => {
    await workspace.apply([...base, analysts]);
    assert.deepEqual(await words([person('ada', { locked: true })]), ['ada loses billing (through analysts)']);
    await workspace.apply([person('ada', { locked: true })]);
    assert.deepEqual(await words([person('ada')]), ['ada gains billing through analysts']);
    assert.deepEqual(await words([membership('analysts', 'grace')]), []);
  });

  it('takes who is renamed for the same person', async () => {
    await workspace.apply([...base, analysts]);
    const [ada] = (await workspace.client.call('listPeople', {})).filter(({ username }) => username === 'ada');
    const renamed = person('augusta', { id: ada!.id, name: 'ada', email: ada!.email });
    const plan = await describePlan([renamed, ...base.slice(1), { ...analysts, people: ['augusta'] }]);
    assert.ok(plan.steps.some(({ operation }) => operation === 'updatePerson'));
    assert.deepEqual(
      plan.access?.filter(({ person: name }) => name === 'ada' || name === 'augusta'),
      [],
    );
  });

  it('reads nothing for a plan that cannot change access', async () => {
    await workspace.apply(base);
    workspace.takeCalls();
    const { access: changes } = await describePlan(base);
    assert.deepEqual(changes, []);
    assert.ok(!workspace.takeCalls().some((call) => call.startsWith('listRole') || call === 'listPermissions'));
  });

  it('is what the service itself says before and after, from any state to any other', async () => {
    await fc.assert(
      fc.asyncProperty(generatedTransition, async ({ before, after, more = {} }) => {
        await workspace.apply(before, all);
        const had = await access(workspace.client);
        const desired = after(new Map());
        const { access: changes = [] } = await describePlan(desired, more);
        await workspace.apply(desired, await withNeededOverrides(desired, more, workspace.client));
        const have = await access(workspace.client);
        const pairs = (effect: string) =>
          new Set(changes.flatMap((one) => (one.effect === effect ? [`${one.person} ${one.dataSource}`] : [])));
        assert.deepEqual(pairs('gains'), have.difference(had));
        assert.deepEqual(pairs('loses'), had.difference(have));
      }),
      { numRuns: propertyRuns({ quick: 5, all: 15 }) },
    );
  });
});
