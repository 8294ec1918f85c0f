import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { converge, createView, type DesiredObject, label, makePlan, unmade } from '@rolecall/reconcile';
import { dataSource, optionsOf, person, role, stateOf, useWorkspace } from '../support.ts';

describe('what the plan of a part needs and does not make', () => {
  const workspace = useWorkspace();
  const all = [person('ada'), person('grace'), dataSource('billing'), role('watch', { people: ['ADA'] })];

  const planOf = (compared: readonly string[]) =>
    makePlan(stateOf(all, {}), createView(workspace.client), {
      ...optionsOf({}),
      isCompared: (object: DesiredObject) => compared.includes(label(object)),
    });

  it('is what its steps refer to, that is neither there nor compared', async () => {
    const { steps } = await planOf(['Role/watch']);
    assert.deepEqual(unmade(steps, all).map(label), ['Person/ada']);
  });

  it('is nothing where it is compared, or there', async () => {
    assert.deepEqual(unmade((await planOf(['Role/watch', 'Person/ada'])).steps, all), []);
    await workspace.apply([person('ada')]);
    assert.deepEqual(unmade((await planOf(['Role/watch'])).steps, all), []);
  });

  it('fails the steps that need it, and no others, where they are run all the same', async () => {
    const plan = await planOf(['Role/watch', 'Person/grace']);
    const { failed, done } = await converge(plan, workspace.client, optionsOf({}));
    assert.deepEqual(
      failed.map(({ step, error }) => [step.operation, error.message]),
      [['addRolePerson', 'no step of this run made Person ada']],
    );
    assert.deepEqual(done.map(({ operation }) => operation).sort(), ['createPerson', 'createRole']);
  });
});
