import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { until } from '../../support/kubernetes/admin-client.ts';
import { isWrite } from '../../support/request-fault.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('where a collection is exact, what is deleted', () => {
  const suite = useInstallation();

  /** A service of its own: in that of the others, what they make would be undeclared. */
  async function start(exact: string[]) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({ exact, rails: { maxRemovalPercent: 100 } }, workspace);
    await suite.operate({ driftMs: 300 });
    const usernames = async () =>
      (await workspace.client.call('listPeople', {})).map(({ username }) => username).sort();
    return { workspace, space, usernames };
  }

  it('stays in the workspace for as long as it is protected or paused', async () => {
    const { space, usernames } = await start(['people']);
    for (const name of ['safe', 'paused', 'going']) {
      await space.create('Person', name, person(name), name === 'safe' ? { 'rolecall.dev/protected': 'true' } : {});
      await space.reason('Person', name, 'Converged');
    }
    await space.patch('Person', 'paused', { metadata: { annotations: { 'rolecall.dev/paused': 'true' } } });
    await space.reason('Person', 'paused', 'Paused');
    for (const name of ['safe', 'paused', 'going']) await space.remove('Person', name);
    await space.gone('Person', 'going');
    await space.reason('Person', 'safe', 'Protected');
    // Another look at all of it.
    await space.create('Person', 'later', person('later'));
    await space.reason('Person', 'later', 'Converged');
    assert.deepEqual(await usernames(), ['later', 'paused', 'safe']);
    await space.patch('Person', 'safe', { metadata: { annotations: { 'rolecall.dev/protected': null } } });
    await space.gone('Person', 'safe');
    assert.deepEqual(await usernames(), ['later', 'paused']);
  });

  it('stays though it is deleted while a reconcile waits for what is being written', async () => {
    const { space, usernames } = await start(['people']);
    const { proxy } = suite.all;
    for (const name of ['busy', 'safe']) {
      await space.create('Person', name, person(name), { 'rolecall.dev/protected': 'true' });
      await space.reason('Person', name, 'Converged');
    }
    let isWriting = false;
    proxy.fault = (request) => {
      if (!isWrite(request) || !request.path.includes('/people/busy/status')) return undefined;
      isWriting = true;
      return { delayMs: 1_000 };
    };
    await space.patch('Person', 'busy', { spec: { locked: true } });
    await until(() => isWriting, 'a status that is written');
    // A look at everything, which waits until it may write of busy.
    await space.create('Person', 'later', person('later'));
    await setTimeout(300);
    await space.remove('Person', 'safe');
    await space.reason('Person', 'safe', 'Protected');
    await space.reason('Person', 'later', 'Converged');
    assert.deepEqual(await usernames(), ['busy', 'later', 'safe']);
  });

  it('waits where it is to be left in the workspace, until the collection is exact no more', async () => {
    const { space, usernames } = await start(['people']);
    await space.create('Person', 'orphan', { ...person('orphan'), deletionPolicy: 'Orphan' });
    await space.create('Person', 'seen', { ...person('orphan'), username: 'seen', email: 'seen@example.com' });
    await space.reason('Person', 'orphan', 'Converged');
    await space.reason('Person', 'seen', 'Converged');
    await space.patch('Person', 'seen', { spec: { managementPolicy: 'Observe' } });
    await space.reason('Person', 'seen', 'InSync');
    for (const name of ['orphan', 'seen']) await space.remove('Person', name);
    const said = await space.reason('Person', 'orphan', 'Exact');
    assert.match(said, /^deletionPolicy: Orphan .*take people out of its spec\.exact/i);
    assert.match(await space.reason('Person', 'seen', 'Exact'), /^managementPolicy: Observe /i);
    await space.create('Person', 'later', person('later'));
    await space.reason('Person', 'later', 'Converged');
    assert.deepEqual(await usernames(), ['later', 'orphan', 'seen']);
    await space.patch('Workspace', 'workspace', { spec: { exact: [] } });
    await space.gone('Person', 'orphan');
    await space.gone('Person', 'seen');
    assert.deepEqual(await usernames(), ['later', 'orphan', 'seen']);
  });

  it('waits likewise where it adds to a role that sets its people as a whole', async () => {
    const { workspace, space } = await start([]);
    const inRole = async () => {
      const [role] = await workspace.client.call('listRoles', {});
      return (await workspace.client.call('listRolePeople', { params: { role: role!.id } })).length;
    };
    for (const name of ['ada', 'grace']) await space.create('Person', name, person(name));
    await space.create('Role', 'analysts', { people: [] });
    const membership = { role: 'analysts', person: 'ada', deletionPolicy: 'Orphan' };
    await space.create('RoleMembership', 'ada-analysts', membership);
    await space.reason('RoleMembership', 'ada-analysts', 'Converged');
    await space.remove('RoleMembership', 'ada-analysts');
    const said = await space.reason('RoleMembership', 'ada-analysts', 'Exact');
    assert.match(said, /Role\/analysts sets its people as a whole/);
    await space.patch('Role', 'analysts', { spec: { people: ['ada', 'grace'] } });
    await space.reason('Role', 'analysts', 'Converged');
    await space.patch('Role', 'analysts', { spec: { people: ['grace'] } });
    await space.reason('Role', 'analysts', 'Converged');
    assert.equal(await inRole(), 2);
    await space.patch('Role', 'analysts', { spec: { people: null } });
    await space.gone('RoleMembership', 'ada-analysts');
    assert.equal(await inRole(), 2);
  });

  it('includes memberships where roles are exact: what is put in by hand goes, and an orphan waits', async () => {
    const { workspace, space } = await start(['roles']);
    const { client } = workspace;
    const inRole = async () => {
      const [role] = await client.call('listRoles', {});
      const people = await client.call('listRolePeople', { params: { role: role!.id } });
      return people.map(({ username }) => username).sort();
    };
    for (const name of ['ada', 'grace']) await space.create('Person', name, person(name));
    await space.create('Role', 'analysts', {});
    await space.create('RoleMembership', 'ada-analysts', { role: 'analysts', person: 'ada' });
    await space.create('RoleMembership', 'grace-analysts', {
      role: 'analysts',
      person: 'grace',
      deletionPolicy: 'Orphan',
    });
    for (const name of ['ada', 'grace']) await space.reason('RoleMembership', `${name}-analysts`, 'Converged');
    const eve = await client.call('createPerson', {
      body: { name: 'Eve', email: 'eve@elsewhere.example', username: 'eve' },
    });
    const [role] = await client.call('listRoles', {});
    await client.call('addRolePerson', { params: { role: role!.id, person: eve.id } });
    await until(async () => (await inRole()).join() === 'ada,grace', 'eve is out of the role');
    await space.remove('RoleMembership', 'grace-analysts');
    const said = await space.reason('RoleMembership', 'grace-analysts', 'Exact');
    assert.match(
      said,
      /^deletionPolicy: Orphan .* take memberships, and roles, which include them, out of its spec\.exact/i,
    );
    await space.remove('RoleMembership', 'ada-analysts');
    await space.gone('RoleMembership', 'ada-analysts');
    assert.deepEqual(await inRole(), ['grace']);
  });

  it('stays where others made it, until the Workspace says that it may go', async () => {
    const workspace = await suite.startWorkspace();
    const byHand = { username: 'before', name: 'Before', email: 'before@example.com' };
    await workspace.client.call('createPerson', { body: byHand });
    const rails = { maxRemovalPercent: 100 };
    const space = await suite.all.namespace({ exact: ['people'], rails }, workspace);
    await suite.operate({ driftMs: 300 });
    const usernames = async () =>
      (await workspace.client.call('listPeople', {})).map(({ username }) => username).sort();
    await space.create('Person', 'own', person('own'));
    await space.reason('Person', 'own', 'Converged');
    const said = await space.reason('Workspace', 'workspace', 'RemovalsRefused');
    assert.match(said, /for the first time remove from people what it did not make: .*before/);
    assert.deepEqual(await usernames(), ['before', 'own']);
    await space.patch('Workspace', 'workspace', { spec: { rails: { ...rails, allowFirstRemoval: true } } });
    await until(async () => (await usernames()).length === 1, 'the removal that was allowed');
    assert.deepEqual(await usernames(), ['own']);
  });
});
