import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createView, type Step, type View } from '@rolecall/reconcile';
import { useWorkspace } from './support.ts';

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
