import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Caller, createView, makePlan, type Step, type View } from '@rolecall/reconcile';
import { dataSource, optionsOf, person, role, stateOf, useWorkspace } from './support.ts';

describe('a view that is read again', () => {
  const workspace = useWorkspace();

  async function made() {
    const { client } = workspace;
    const ada = await client.call('createPerson', {
      body: { name: 'Ada', username: 'ada', email: 'ada@example.com' },
    });
    const role = await client.call('createRole', { body: { name: 'analysts' } });
    const view = createView(client);
    await readAll(view, role.id);
    workspace.takeCalls();
    return { client, view, ada, role };
  }

  async function readAll(view: View, role: string): Promise<void> {
    await Promise.all([view.people(), view.roles(), view.dataSources(), view.permissions(), view.snippets()]);
    await Promise.all([view.rolePeople(role), view.roleDataSources(role)]);
  }

  const all = [
    'listDataSources',
    'listPeople',
    'listPermissions',
    'listRoleDataSources',
    'listRolePeople',
    'listRoles',
    'listSnippets',
  ];

  it('is the same one while nothing has changed, for one call a collection', async () => {
    const { view } = await made();
    assert.equal(await view.renew(), view);
    assert.deepEqual(workspace.takeCalls().sort(), all);
  });

  it('is another one as soon as anything was changed by others, and has what is there now', async () => {
    const { client, view, ada, role } = await made();
    await client.call('addRolePerson', { params: { role: role.id, person: ada.id } });
    const next = await view.renew();
    assert.notEqual(next, view);
    assert.deepEqual(
      (await next.rolePeople(role.id)).all.map(({ username }) => username),
      ['ada'],
    );
    await client.call('lockPerson', { params: { person: ada.id } });
    workspace.takeCalls();
    const last = await next.renew();
    assert.equal((await last.people()).byId.get(ada.id)?.isLocked, true);
    await readAll(last, role.id);
    assert.deepEqual(workspace.takeCalls().sort(), all, 'what was read to find out is not read once more');
    assert.equal(await last.renew(), last);
  });

  it('is another one after a write of its own was taken in, with what others did at the same time', async () => {
    const { client, view, ada } = await made();
    const grace = await client.call('createPerson', {
      body: { name: 'Grace', username: 'grace', email: 'grace@example.com' },
    });
    await client.call('lockPerson', { params: { person: ada.id } });
    view.take({ operation: 'lockPerson', params: { person: ada.id } } as unknown as Step, {}, new Map());
    assert.equal((await view.people()).byId.get(ada.id)?.isLocked, true);
    await client.call('unlockPerson', { params: { person: ada.id } });
    await client.call('lockPerson', { params: { person: grace.id } });
    await client.call('deletePerson', { params: { person: grace.id } });
    const next = await view.renew();
    assert.notEqual(next, view);
    assert.equal((await next.people()).byId.get(ada.id)?.isLocked, false);
  });

  it('does not ask for the members of a role that is gone', async () => {
    const { client, view, role } = await made();
    await client.call('deleteRole', { params: { role: role.id } });
    const next = await view.renew();
    assert.deepEqual((await next.roles()).all, []);
  });
});

describe('a view of a snapshot that is read again', () => {
  const workspace = useWorkspace('in one call');
  const [env, uri] = ['PASSWORD', 'postgresql://reader@billing.internal:5432/billing'];
  const billing = dataSource('billing', { uri, password: { env } });
  const objects = [person('ada'), billing, role('analysts', { people: ['ada'] })];
  const secrets = { [env]: 'hunter2' };
  const planOver = (view: View) => makePlan(stateOf(objects, {}), view, optionsOf({ secrets }));

  it('is the same one while nothing has changed, for one conditional call', async () => {
    await workspace.apply(objects, { secrets });
    const view = workspace.createView();
    assert.deepEqual((await planOver(view)).steps, []);
    workspace.takeCalls();
    assert.equal(await view.renew(), view, 'also after a first reading that compared passwords');
    assert.deepEqual((await planOver(view)).steps, []);
    assert.deepEqual(workspace.takeCalls(), ['readSnapshot'], 'the password is not compared again');
  });

  it('compares a password again that was changed by others, and one that is declared anew', async () => {
    await workspace.apply(objects, { secrets });
    const first = workspace.createView();
    await planOver(first);
    const [source] = (await first.dataSources()).all;
    const configUri = uri.replace('reader', 'reader:other');
    await workspace.client.call('updateDataSource', { params: { dataSource: source!.id }, body: { configUri } });
    const view = await first.renew();
    workspace.takeCalls();
    const changed = await planOver(view);
    assert.deepEqual(
      changed.steps.map(({ operation }) => operation),
      ['updateDataSource'],
    );
    assert.deepEqual(workspace.takeCalls(), ['compareSnapshot']);
    const same = await makePlan(stateOf(objects, {}), view, optionsOf({ secrets: { [env]: 'other' } }));
    assert.deepEqual(same.steps, []);
  });

  it('is another one after a write of its own, or of others', async () => {
    await workspace.apply(objects, { secrets });
    const view = await workspace.createView().renew();
    const [ada] = (await view.people()).all;
    await workspace.client.call('lockPerson', { params: { person: ada!.id } });
    view.take({ operation: 'lockPerson', params: { person: ada!.id } } as unknown as Step, {}, new Map());
    const next = await view.renew();
    assert.notEqual(next, view);
    assert.equal((await next.people()).byId.get(ada!.id)?.isLocked, true);
  });

  it('reads by lists where the service has no snapshot, and asks for it once with each reading', async () => {
    await workspace.apply(objects, { secrets });
    const asked: string[] = [];
    let isOld = true;
    const withoutSnapshot: Caller = {
      call: (operation, request, options) => {
        asked.push(operation);
        if (!isOld) return workspace.client.call(operation, request, options);
        if (operation !== 'readSnapshot' && operation !== 'compareSnapshot')
          return workspace.client.call(operation, request, options);
        // A path that the service does not know.
        return workspace.client.call('getPerson', { params: { person: 'unknown' } }) as never;
      },
    };
    const view = createView(withoutSnapshot, { isWhole: true });
    assert.deepEqual((await planOver(view)).steps, []);
    assert.equal(await view.renew(), view);
    assert.deepEqual((await planOver(view)).steps, []);
    assert.deepEqual(
      asked.filter((operation) => operation.endsWith('Snapshot')),
      ['compareSnapshot', 'readSnapshot'],
    );
    const byLists = createView(workspace.client);
    await planOver(byLists);
    assert.deepEqual((await planOver(view)).digest, (await planOver(byLists)).digest);
    assert.equal((await planOver(workspace.createView())).digest, (await planOver(byLists)).digest);
    // The service was brought up to date.
    isOld = false;
    const whole = await view.renew();
    asked.splice(0);
    assert.deepEqual((await planOver(whole)).digest, (await planOver(byLists)).digest);
    assert.equal(await whole.renew(), whole);
    assert.deepEqual(asked, ['readSnapshot']);
  });
});
