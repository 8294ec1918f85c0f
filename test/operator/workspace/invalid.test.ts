import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

/** What an annotation may say by mistake, and only the operator finds. */
const mistaken = { metadata: { annotations: { 'rolecall.dev/paused': 'yes', 'rolecall.dev/foo': '1' } } };
const mended = { metadata: { annotations: { 'rolecall.dev/paused': null, 'rolecall.dev/foo': null } } };

describe('an object that is not valid any more', () => {
  const suite = useInstallation();

  async function start(exact: string[] = []) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({ exact, rails: { maxRemovalPercent: 100 } }, workspace);
    await suite.operate({ driftMs: 200 });
    const inRole = async (name: string) => {
      const role = (await workspace.client.call('listRoles', {})).find((one) => one.name === name);
      const people = await workspace.client.call('listRolePeople', { params: { role: role!.id } });
      return people.map(({ username }) => username).sort();
    };
    const make = async (kind: string, name: string, spec: Record<string, unknown>) => {
      await space.create(kind, name, spec);
      await space.reason(kind, name, 'Converged');
    };
    /** Has the role compared, and waits for what that leads to. */
    const compare = async (name: string) => {
      await make('Person', `later-${name}`, person(`later-${name}`));
      await make('RoleMembership', `later-${name}`, { role: name, person: `later-${name}` });
      await new Promise((resolve) => setTimeout(resolve, 600));
    };
    const restart = async () => {
      for (const one of suite.running.splice(0)) await one.stop();
      await suite.operate({ driftMs: 200 });
    };
    return { workspace, space, inRole, make, compare, restart };
  }

  it('keeps its member in a role that lists its people, also for an operator that starts anew', async () => {
    const { space, inRole, make, compare, restart } = await start();
    await make('Person', 'ada', person('ada'));
    await make('Role', 'analysts', { people: [] });
    await make('RoleMembership', 'ada-analysts', { role: 'analysts', person: 'ada' });
    await space.patch('RoleMembership', 'ada-analysts', mistaken);
    await space.reason('RoleMembership', 'ada-analysts', 'Invalid');
    await compare('analysts');
    assert.deepEqual(await inRole('analysts'), ['ada', 'later-analysts']);
    await restart();
    await space.patch('Role', 'analysts', { spec: { people: ['later-analysts'] } });
    await space.reason('Role', 'analysts', 'Converged');
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.deepEqual(await inRole('analysts'), ['ada', 'later-analysts']);
    await space.patch('RoleMembership', 'ada-analysts', mended);
    await space.reason('RoleMembership', 'ada-analysts', 'Converged');
    await space.remove('RoleMembership', 'ada-analysts');
    await space.gone('RoleMembership', 'ada-analysts');
    assert.deepEqual(await inRole('analysts'), ['later-analysts']);
  });

  it('is known by its own name still, where that is another one than in the workspace', async () => {
    const { space, inRole, make, compare, restart } = await start();
    await make('Person', 'ada', person('a.lovelace'));
    await make('Person', 'grace', person('grace'));
    await make('Role', 'analysts', { people: ['grace'] });
    await make('RoleMembership', 'ada-analysts', { role: 'analysts', person: 'ada' });
    await make('Role', 'listing', { people: ['ada'] });
    await space.patch('Person', 'ada', mistaken);
    await space.reason('Person', 'ada', 'Invalid');
    for (const name of ['analysts', 'listing']) await compare(name);
    assert.deepEqual(await inRole('analysts'), ['a.lovelace', 'grace', 'later-analysts']);
    assert.deepEqual(await inRole('listing'), ['a.lovelace', 'later-listing']);
    await restart();
    await space.patch('Role', 'analysts', { spec: { people: [] } });
    await space.reason('Role', 'analysts', 'Converged');
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.deepEqual(await inRole('analysts'), ['a.lovelace', 'later-analysts']);
  });

  it('is given and loses nothing meanwhile, though it says something else, or is deleted', async () => {
    const { workspace, space, inRole, make, compare } = await start();
    const locked = async () => (await workspace.client.call('listPeople', {})).map(({ isLocked }) => isLocked);
    await make('Person', 'ada', { ...person('ada'), locked: true });
    await make('Role', 'analysts', { people: [] });
    await space.create('RoleMembership', 'typo', { role: 'analysts', person: 'ada' }, mistaken.metadata.annotations);
    await space.reason('RoleMembership', 'typo', 'Invalid');
    await space.patch('Person', 'ada', { ...mistaken, spec: { locked: false } });
    await space.reason('Person', 'ada', 'Invalid');
    await compare('analysts');
    assert.deepEqual(await inRole('analysts'), ['later-analysts']);
    assert.deepEqual((await locked()).toSorted(), [false, true]);
    await space.remove('Person', 'ada');
    await space.reason('Person', 'ada', 'Invalid');
    await new Promise((resolve) => setTimeout(resolve, 600));
    assert.deepEqual((await locked()).toSorted(), [false, true]);
    await space.patch('Person', 'ada', mended);
    await space.gone('Person', 'ada');
    assert.deepEqual(await locked(), [false]);
    // What never had anything goes at once.
    await space.remove('RoleMembership', 'typo');
    await space.gone('RoleMembership', 'typo');
  });

  it('keeps what is exact from removing anything, of which the Workspace says so until it is corrected', async () => {
    const { workspace, space, make } = await start(['roles']);
    const names = Array.from({ length: 7 }, (_none, index) => `p${index}`);
    for (const name of names) await make('Person', name, person(name));
    await space.reason('Workspace', 'workspace', 'Converged');
    await space.patch('Person', 'p0', mistaken);
    const said = await space.reason('Workspace', 'workspace', 'RemovalsSuspended');
    assert.match(said, /^Nothing undeclared is removed.*: Person\/p0\. Correct or delete/);
    await workspace.client.call('createRole', { body: { name: 'undeclared' } });
    const roles = async () => (await workspace.client.call('listRoles', {})).map(({ name }) => name);
    for (const name of names) await space.patch('Person', name, mistaken);
    const isNamed = async () =>
      / Person\/p4 and 2 more\./.test(await space.reason('Workspace', 'workspace', 'RemovalsSuspended'));
    await until(isNamed, 'all of them to be told of');
    assert.deepEqual(await roles(), ['undeclared']);
    for (const name of names.slice(1)) await space.patch('Person', name, mended);
    await space.reason('Person', 'p6', 'Converged');
    await space.reason('Workspace', 'workspace', 'RemovalsSuspended');
    // Where nothing is exact, nothing is suspended.
    await space.patch('Workspace', 'workspace', { spec: { exact: [] } });
    await space.reason('Workspace', 'workspace', 'Converged');
    await space.patch('Workspace', 'workspace', { spec: { exact: ['roles'] } });
    await space.reason('Workspace', 'workspace', 'RemovalsSuspended');
    assert.deepEqual(await roles(), ['undeclared']);
    await space.patch('Person', 'p0', mended);
    await space.reason('Workspace', 'workspace', 'Converged');
    await until(async () => (await roles()).length === 0, 'the removal');
  });
});
