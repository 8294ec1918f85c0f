import assert from 'node:assert/strict';
import { it } from 'node:test';
import { converge, makePlan, type View } from '@rolecall/reconcile';
import fc from 'fast-check';
import { propertyRuns } from '../../support/property-runs.ts';
import { generatedTransition } from '../crash/generated.ts';
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
  withNeededOverrides,
} from '../support.ts';

describeReadings('a view into which a run was taken', (workspace, reading) => {
  /** Reads everything that there is. */
  async function readAll(view: View): Promise<void> {
    const [roles, sources, people] = await Promise.all([view.roles(), view.dataSources(), view.people()]);
    await Promise.all([view.permissions(), view.snippets()]);
    for (const { id } of roles.all) await Promise.all([view.rolePeople(id), view.roleDataSources(id)]);
    for (const { id } of sources.all) await view.connection(id);
    for (const { id } of people.all) await view.personRoles(id);
  }

  /** Times of assignment are the service's own, and which order a list has is not the view's matter. */
  function essence(view: View): unknown {
    return [...view.readings()]
      .filter(([name]) => !name.startsWith('snippetVersions'))
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, reading]) => [name, Array.isArray(reading) ? reading.map(plain).sort() : plain(reading)]);
  }

  const plain = (object: unknown): string =>
    JSON.stringify(object, (key, value: unknown) => {
      if (key === 'assignedAt' || key === 'updatedAt') return undefined;
      if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
      return Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1)));
    });

  it('is what is read from the workspace afterwards, whatever was run', async () => {
    const view = workspace.createView();
    await readAll(view);
    await fc.assert(
      fc.asyncProperty(generatedTransition, async ({ before, after, more = {} }) => {
        for (const objects of [before, after(new Map())]) {
          const options = optionsOf(await withNeededOverrides(objects, more, workspace.client));
          const plan = await makePlan(stateOf(objects, more), view, options);
          fc.pre(plan.refusals.length === 0);
          const { failed } = await converge(plan, workspace.client, {
            ...optionsOf(more),
            onProgress: ({ step, outcome, answer, ids = new Map<string, string>() }) => {
              if (outcome === 'done') view.take(step, answer, ids);
            },
          });
          assert.deepEqual(failed, []);
          await readAll(view);
          const fresh = workspace.createView();
          await readAll(fresh);
          assert.deepEqual(essence(view), essence(fresh));
        }
      }),
      { numRuns: propertyRuns({ quick: 4, all: 10 }) },
    );
  });

  it('is not read again, where a plan is made after it', async () => {
    const view = workspace.createView();
    const objects = [
      person('ada'),
      dataSource('billing'),
      role('analysts', { people: ['ada'], dataSources: ['billing'] }),
      membership('analysts', 'ada'),
      permission('ada', 'billing'),
      snippet('Mine', { owner: { kind: 'Person', username: 'ada' } }),
    ];
    const first = await makePlan(stateOf(objects, {}), view, optionsOf({}));
    await converge(first, workspace.client, {
      ...optionsOf({}),
      onProgress: ({ step, answer, ids = new Map<string, string>() }) => {
        view.take(step, answer, ids);
      },
    });
    workspace.takeCalls();
    const second = await makePlan(stateOf(objects, {}), view, optionsOf({}));
    assert.deepEqual(second.steps, []);
    assert.deepEqual(workspace.takeCalls(), []);
  });

  it('reads the detail of a data source anew only where its time of change is another one', async () => {
    const objects = [dataSource('billing'), dataSource('stock')];
    const view = workspace.createView();
    const plan = await makePlan(stateOf(objects, {}), view, optionsOf({}));
    await converge(plan, workspace.client, optionsOf({}));
    const before = workspace.createView();
    await makePlan(stateOf(objects, {}), before, optionsOf({}));
    const [one] = (await before.dataSources()).all;
    await workspace.client.call('updateDataSource', { params: { dataSource: one!.id }, body: { name: 'Another' } });
    workspace.takeCalls();
    const later = await before.renew();
    const repair = await makePlan(stateOf(objects, {}), later, optionsOf({}));
    const lists = ['getDataSourceDetail', 'listDataSources'];
    assert.deepEqual(workspace.takeCalls().sort(), reading === 'in one call' ? ['readSnapshot'] : lists);
    assert.deepEqual(
      repair.steps.map(({ operation }) => operation),
      ['updateDataSource'],
    );
  });
});
