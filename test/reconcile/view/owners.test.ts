import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Client } from '@rolecall/api';
import { defaultRails, type ExactCollection } from '@rolecall/crds';
import { converge, createView, type DesiredObject, makePlan, managerOf, type Plan } from '@rolecall/reconcile';
import { dataSource, optionsOf, permission, person, role, stateOf, useWorkspace } from '../support.ts';

interface Asked {
  exact?: readonly ExactCollection[];
  overrides?: string[];
  rails?: typeof defaultRails;
}

describe('a second manager, and what Rolecall did not make', () => {
  const workspace = useWorkspace();

  /** A client whose writes carry a manager's name, as that of a front end does. */
  const clientOf = (manager: string): Pick<Client, 'call'> => ({
    call: async (operation, request, options) => workspace.as(manager).call(operation, request, options),
  });
  async function plan(manager: string, objects: readonly DesiredObject[], asked: Asked = {}): Promise<Plan> {
    const client = clientOf(manager);
    return makePlan(stateOf(objects, asked), createView(client), {
      ...optionsOf({ overrides: asked.overrides ?? [] }),
      manager: managerOf(manager, client),
    });
  }
  async function apply(manager: string, objects: readonly DesiredObject[], asked: Asked = {}): Promise<Plan> {
    const made = await plan(manager, objects, asked);
    const { failed, notRun } = await converge(made, clientOf(manager), optionsOf({}));
    assert.deepEqual([failed, notRun], [[], []]);
    return made;
  }
  const rails = (made: Plan) => made.refusals.map(({ rail, override }) => [rail, override]);
  const grantByHand = async (username: string): Promise<void> => {
    const client = workspace.client;
    const found = (await client.call('listPeople', {})).find((one) => one.username === username);
    const [source] = await client.call('listDataSources', {});
    assert.ok(found && source);
    const params = { person: found.id, dataSource: source.id };
    await client.call('createPermission', { params, body: { duration: 3600 } });
  };
  const joinByHand = async (username: string): Promise<void> => {
    const client = workspace.client;
    const found = (await client.call('listPeople', {})).find((one) => one.username === username);
    const [group] = await client.call('listRoles', {});
    assert.ok(found && group);
    await client.call('addRolePerson', { params: { role: group.id, person: found.id } });
  };
  const base = [person('ada'), person('grace'), dataSource('billing')];
  const exact = ['permissions'] as const;

  it('holds the first run that would end grants of others, names them, and ends them under its override', async () => {
    await apply('rolecall/a', base);
    await grantByHand('ada');
    await grantByHand('grace');
    const refused = await plan('rolecall/a', base, { exact });
    assert.deepEqual(rails(refused), [['first-removal', 'first-removal:permissions']]);
    assert.match(refused.refusals[0]!.message, /ada on billing.*grace on billing/);
    await apply('rolecall/a', base, { exact, overrides: ['first-removal:permissions'] });
    await grantByHand('grace');
    assert.deepEqual(rails(await plan('rolecall/a', base, { exact })), [], 'it runs the collection exactly by now');
    assert.deepEqual(rails(await plan('rolecall/b', base, { exact })), [
      ['first-removal', 'first-removal:permissions'],
    ]);
  });

  it('is not asked again where the collection was run exactly from the start', async () => {
    await apply('rolecall/a', [...base, permission('ada', 'billing')], { exact });
    await grantByHand('grace');
    const made = await plan('rolecall/a', [...base, permission('ada', 'billing')], { exact });
    assert.deepEqual([made.refusals, made.steps.length], [[], 1]);
  });

  it('lets a manager remove what it made itself, though it never ran exactly', async () => {
    await apply('rolecall/a', [...base, permission('ada', 'billing')]);
    assert.deepEqual(rails(await plan('rolecall/a', base, { exact })), []);
    assert.deepEqual(rails(await plan('rolecall/b', base, { exact })), [
      ['first-removal', 'first-removal:permissions'],
    ]);
  });

  it('holds the list of a role likewise, and repairs it once it has been run', async () => {
    await apply('rolecall/a', [...base, role('analysts')]);
    await joinByHand('grace');
    const listed = [...base, role('analysts', { people: ['ada'] })];
    const refused = await plan('rolecall/a', listed);
    assert.deepEqual(rails(refused), [['first-removal', 'first-removal:analysts/people']]);
    assert.deepEqual(refused.refusals[0]!.objects, ['Role/analysts']);
    await apply('rolecall/a', listed, { overrides: ['first-removal:analysts/people'] });
    await joinByHand('grace');
    assert.deepEqual(rails(await plan('rolecall/a', listed)), []);
  });

  it('is overridden in Git, too', async () => {
    await apply('rolecall/a', base);
    await grantByHand('ada');
    const allowed = { ...defaultRails, allowFirstRemoval: true };
    assert.deepEqual(rails(await plan('rolecall/a', base, { exact, rails: allowed })), []);
  });

  it('is noticed and said, where the other one wrote last, and refused by nothing', async () => {
    await apply('operator/ns/main', base);
    const locked = [person('ada', { locked: true }), ...base.slice(1)];
    const made = await plan('rolecall/a', locked);
    assert.deepEqual(made.refusals, []);
    const [note] = made.notes.filter(({ message }) => message.includes('also managed'));
    assert.equal(note?.object, 'Person/ada');
    assert.match(note.message, /^is also managed by operator\/ns\/main, which last wrote it at 20.*: lock ada$/);
    await apply('rolecall/a', locked);
    assert.deepEqual((await plan('rolecall/a', base)).notes, []);
  });

  it('costs a call only where something that is there would change', async () => {
    const asks = (): boolean => workspace.takeCalls().includes('listManaged');
    await apply('rolecall/a', base);
    await plan('rolecall/a', [...base, person('joan')]);
    assert.equal(asks(), false);
    await plan('rolecall/a', [person('ada', { locked: true })]);
    assert.equal(asks(), true);
  });

  it('cannot be known where the service does not tell: then only what is named is removed', async () => {
    await apply('rolecall/a', [...base, permission('ada', 'billing')], { exact });
    const client = clientOf('rolecall/a');
    const silent = { name: 'rolecall/a', list: () => Promise.resolve(undefined) };
    const options = { ...optionsOf({}), manager: silent };
    const made = await makePlan(stateOf(base, { exact }), createView(client), options);
    assert.deepEqual(rails(made), [['first-removal', 'first-removal:permissions']]);
    assert.match(made.refusals[0]!.message, /the service does not tell this key who made what/);
  });
});
