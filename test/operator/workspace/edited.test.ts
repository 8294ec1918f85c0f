import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('another name of the same object', () => {
  const suite = useInstallation();

  async function start(spec: Record<string, unknown> = {}) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace(spec, workspace);
    await suite.operate({ namespace: space.name, driftMs: 300 });
    const idOf = async (kind: string, name: string) => (await space.get(kind, name))?.status?.['id'];
    const people = async () =>
      Object.fromEntries(
        (await workspace.client.call('listPeople', {})).map(({ id, username, name, email }) => [
          id,
          [username, name, email],
        ]),
      );
    const roles = async () =>
      Object.fromEntries((await workspace.client.call('listRoles', {})).map(({ id, name }) => [id, name]));
    const make = async (kind: 'Person' | 'Role', name: string) => {
      await space.create(kind, name, kind === 'Person' ? person(name) : { name });
      await space.reason(kind, name, 'Converged');
      return String(await idOf(kind, name));
    };
    return { workspace, space, idOf, people, roles, make };
  }

  it('is given in place: the id stays, and so does all that hangs on it', async () => {
    const { workspace, space, idOf, people, roles, make } = await start();
    const [ada, readers] = [await make('Person', 'ada'), await make('Role', 'readers')];
    await space.create('RoleMembership', 'ada-readers', { role: 'readers', person: 'ada' });
    await space.reason('RoleMembership', 'ada-readers', 'Converged');
    const king = { username: 'king', name: 'Ada King', email: 'king@example.com' };
    await Promise.all([
      space.patch('Person', 'ada', { spec: king }),
      space.patch('Role', 'readers', { spec: { name: 'writers' } }),
    ]);
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'readers', 'Converged');
    assert.deepEqual(await people(), { [ada]: Object.values(king) });
    assert.deepEqual(await roles(), { [readers]: 'writers' });
    const { status } = (await space.get('Person', 'ada'))!;
    assert.deepEqual([status?.['id'], status?.['username'], await idOf('Role', 'readers')], [ada, 'king', readers]);
    const members = await workspace.client.call('listRolePeople', { params: { role: readers } });
    assert.deepEqual(
      members.map(({ id }) => id),
      [ada],
    );
    const removals = workspace.proxy.requests.filter(({ method }) => method === 'DELETE');
    assert.deepEqual(removals, []);
  });

  it('is exchanged between two objects', async () => {
    const { space, people, roles, make } = await start();
    const [ada, bob] = [await make('Person', 'ada'), await make('Person', 'bob')];
    const [one, two] = [await make('Role', 'one'), await make('Role', 'two')];
    await Promise.all([
      space.patch('Person', 'ada', { spec: person('bob') }),
      space.patch('Person', 'bob', { spec: person('ada') }),
      space.patch('Role', 'one', { spec: { name: 'two' } }),
      space.patch('Role', 'two', { spec: { name: 'one' } }),
    ]);
    for (const name of ['ada', 'bob']) await space.reason('Person', name, 'Converged');
    for (const name of ['one', 'two']) await space.reason('Role', name, 'Converged');
    assert.deepEqual(await people(), {
      [ada]: Object.values(person('bob')),
      [bob]: Object.values(person('ada')),
    });
    assert.deepEqual(await roles(), { [one]: 'two', [two]: 'one' });
  });

  it('is one that an exact collection frees in the same plan', async () => {
    const { workspace, space, people, roles, make } = await start({ exact: ['people', 'roles'] });
    const [ada, one] = [await make('Person', 'ada'), await make('Role', 'one')];
    // One plan sees the strangers and the new names.
    workspace.proxy.fault = () => ({ answer: 503 });
    await workspace.client.call('createPerson', { body: person('stranger') });
    await workspace.client.call('createRole', { body: { name: 'strange' } });
    await space.patch('Person', 'ada', { spec: person('stranger') });
    await space.patch('Role', 'one', { spec: { name: 'strange' } });
    workspace.proxy.fault = () => undefined;
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'one', 'Converged');
    assert.deepEqual(await people(), { [ada]: Object.values(person('stranger')) });
    assert.deepEqual(await roles(), { [one]: 'strange' });
  });

  it('is refused while another one keeps it: not declared, or paused', async () => {
    const { workspace, space, people, roles, make } = await start();
    const [ada, bob, one] = [await make('Person', 'ada'), await make('Person', 'bob'), await make('Role', 'one')];
    const { id: strange } = await workspace.client.call('createRole', { body: { name: 'strange' } });
    const before = await people();
    const paused = { annotations: { 'rolecall.dev/paused': 'true' } };
    await space.patch('Person', 'bob', { metadata: paused, spec: { username: 'robert' } });
    await space.patch('Person', 'ada', { spec: { username: 'bob' } });
    await space.patch('Role', 'one', { spec: { name: 'strange' } });
    assert.match(await space.reason('Person', 'ada', 'UsernameTaken'), /which another person .* has \(id /);
    assert.match(await space.reason('Role', 'one', 'RoleNameTaken'), /which another role .* has \(id /);
    assert.deepEqual(await people(), before);
    await space.patch('Person', 'bob', { metadata: { annotations: { 'rolecall.dev/paused': null } } });
    await workspace.client.call('updateRole', { params: { role: strange }, body: { name: 'stranger' } });
    for (const name of ['ada', 'bob']) await space.reason('Person', name, 'Converged');
    await space.reason('Role', 'one', 'Converged');
    assert.deepEqual(await people(), {
      [ada]: Object.values({ ...person('ada'), username: 'bob' }),
      [bob]: Object.values({ ...person('bob'), username: 'robert' }),
    });
    assert.deepEqual(await roles(), { [one]: 'strange', [strange]: 'stranger' });
  });

  it('waits while the object is paused, and is told while it is observed', async () => {
    const { space, people, make } = await start();
    const ada = await make('Person', 'ada');
    await space.patch('Person', 'ada', {
      metadata: { annotations: { 'rolecall.dev/paused': 'true' } },
      spec: { username: 'king' },
    });
    await space.reason('Person', 'ada', 'Paused');
    await space.patch('Person', 'ada', {
      metadata: { annotations: { 'rolecall.dev/paused': null } },
      spec: { managementPolicy: 'Observe' },
    });
    assert.match(await space.reason('Person', 'ada', 'ChangesPending'), /username/);
    assert.deepEqual(await people(), { [ada]: Object.values(person('ada')) });
    await space.patch('Person', 'ada', { spec: { managementPolicy: 'Full' } });
    await space.reason('Person', 'ada', 'Converged');
    assert.deepEqual(await people(), { [ada]: Object.values({ ...person('ada'), username: 'king' }) });
  });

  it('is refused by a service that cannot edit, until it can', async () => {
    const { workspace, space, people, roles, make } = await start();
    workspace.proxy.tellsStore = false;
    const [ada, one] = [await make('Person', 'ada'), await make('Role', 'one')];
    await space.patch('Person', 'ada', { spec: { email: 'king@example.com' } });
    await space.patch('Role', 'one', { spec: { name: 'two' } });
    const message = await space.reason('Person', 'ada', 'NotEditable');
    assert.match(message, /email from ada@example\.com to king@example\.com, and this service cannot edit people/);
    assert.match(message, /put the old value back, or delete/i);
    assert.match(await space.reason('Role', 'one', 'NotEditable'), /name from one to two.*cannot edit roles/);
    assert.deepEqual(await people(), { [ada]: Object.values(person('ada')) });
    workspace.proxy.tellsStore = true;
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'one', 'Converged');
    assert.deepEqual(await people(), { [ada]: Object.values({ ...person('ada'), email: 'king@example.com' }) });
    assert.deepEqual(await roles(), { [one]: 'two' });
  });
});
