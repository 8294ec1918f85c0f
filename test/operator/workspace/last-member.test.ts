import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

const protectedByName = { 'rolecall.dev/protected': 'true' };

describe('the last member of a protected role', () => {
  const suite = useInstallation();

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    // There before the operator reads: it looks for what others make only after a drift period.
    await workspace.client.call('createDataSource', {
      body: { name: 'b', alias: 'billing', configUri: 'postgresql://reader@127.0.0.1:5432/billing' },
    });
    // No look for drift comes in between: what is held goes on because of what is changed.
    await suite.operate({ driftMs: 600_000 });
    const inRole = async (name: string) => {
      const role = (await workspace.client.call('listRoles', {})).find((one) => one.name === name);
      const people = await workspace.client.call('listRolePeople', { params: { role: role!.id } });
      return people.map(({ username }) => username).sort();
    };
    const people = async (...names: string[]) => {
      for (const name of names) await space.create('Person', name, person(name));
      for (const name of names) await space.reason('Person', name, 'Converged');
    };
    return { workspace, space, inRole, people };
  }

  it('stays though the Person is deleted, until someone else is in the role', async () => {
    const { workspace, space, inRole, people } = await start();
    await people('ada', 'grace');
    await space.create('Role', 'admins', { people: ['ada'] }, protectedByName);
    await space.reason('Role', 'admins', 'Converged');
    const grant = { person: 'ada', dataSource: 'billing', expiresAt: '2099-01-01T00:00:00Z' };
    await space.create('Permission', 'ada-billing', grant);
    await space.reason('Permission', 'ada-billing', 'Converged');
    await space.remove('Person', 'ada');
    await space.remove('Permission', 'ada-billing');
    const said = await space.reason('Person', 'ada', 'LastMember');
    assert.match(said, /Role\/admins is protected .*no member left who can log in.* Put another person into the role/);
    // What would have gone along with her goes by itself.
    await space.gone('Permission', 'ada-billing');
    assert.deepEqual(await workspace.client.call('listPermissions', {}), []);
    assert.deepEqual(await inRole('admins'), ['ada']);
    await space.patch('Role', 'admins', { spec: { people: ['grace'] } });
    await space.gone('Person', 'ada');
    assert.deepEqual(await inRole('admins'), ['grace']);
  });

  it('stays though the RoleMembership is deleted, and everybody at once where all are', async () => {
    const { space, inRole, people } = await start();
    await people('ada', 'grace');
    await space.create('Role', 'admins', {}, protectedByName);
    for (const name of ['ada', 'grace']) {
      await space.create('RoleMembership', `${name}-admins`, { role: 'admins', person: name });
      await space.reason('RoleMembership', `${name}-admins`, 'Converged');
    }
    // Who is not the last one may go.
    await space.remove('RoleMembership', 'grace-admins');
    await space.gone('RoleMembership', 'grace-admins');
    await space.remove('RoleMembership', 'ada-admins');
    await space.reason('RoleMembership', 'ada-admins', 'LastMember');
    // Nor do they go by the way of their person.
    await space.remove('Person', 'ada');
    await space.reason('Person', 'ada', 'LastMember');
    assert.deepEqual(await inRole('admins'), ['ada']);
    await space.create('RoleMembership', 'grace-again', { role: 'admins', person: 'grace' });
    await space.gone('RoleMembership', 'ada-admins');
    await space.gone('Person', 'ada');
    assert.deepEqual(await inRole('admins'), ['grace']);
  });

  it('goes once the role is protected no more, also where that is deleted itself', async () => {
    const { workspace, space, people } = await start();
    await people('ada', 'grace');
    for (const [role, name] of [['admins', 'ada'] as const, ['owners', 'grace'] as const]) {
      await space.create('Role', role, { people: [name] }, protectedByName);
      await space.reason('Role', role, 'Converged');
    }
    await space.remove('Role', 'owners');
    await space.reason('Role', 'owners', 'Protected');
    for (const name of ['ada', 'grace']) await space.remove('Person', name);
    for (const name of ['ada', 'grace']) await space.reason('Person', name, 'LastMember');
    const unprotected = { metadata: { annotations: { 'rolecall.dev/protected': null } } };
    await space.patch('Role', 'admins', unprotected);
    await space.gone('Person', 'ada');
    await space.patch('Role', 'owners', unprotected);
    await space.gone('Role', 'owners');
    await space.gone('Person', 'grace');
    assert.deepEqual(await workspace.client.call('listPeople', {}), []);
  });

  it('is let go once its object says that it is released', async () => {
    const { space, inRole, people } = await start();
    await people('ada');
    await space.create('Role', 'admins', { people: ['ada'] }, protectedByName);
    await space.reason('Role', 'admins', 'Converged');
    await space.remove('Person', 'ada');
    await space.reason('Person', 'ada', 'LastMember');
    await space.patch('Person', 'ada', { metadata: { annotations: { 'rolecall.dev/released': 'true' } } });
    await space.gone('Person', 'ada');
    assert.deepEqual(await inRole('admins'), ['ada']);
  });
});
