import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { useInstallation } from '../support/suite.ts';

describe('a role that contains roles', () => {
  const suite = useInstallation();
  const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

  async function start(settings: object = {}) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({ rails: { maxRemovalPercent: 100 }, ...settings }, workspace);
    // The workspace is compared once an hour: nothing but a change brings another reconcile.
    await suite.operate();
    const inRole = async (name: string, kind: 'People' | 'DataSources'): Promise<string> => {
      const role = (await workspace.client.call('listRoles', {})).find((one) => one.name === name);
      if (role === undefined) return 'no role';
      const members = await workspace.client.call(`listRole${kind}`, { params: { role: role.id } });
      return members
        .map((one) => ('username' in one ? one.username : (one.alias ?? '')))
        .sort()
        .join();
    };
    const reaches = (name: string, aliases: string) =>
      until(async () => (await inRole(name, 'DataSources')) === aliases, `a role ${name} that reaches ${aliases}`);
    for (const name of ['w', 'x', 'y', 'z']) await space.create('DataSource', name, { uri });
    await space.create('Person', 'ada', person('ada'));
    return { space, inRole, reaches };
  }

  it('follows what the roles within it list and are given, at each depth', async () => {
    const { space, inRole, reaches } = await start();
    await space.create('Role', 'a', { people: ['ada'], dataSources: ['w'], roles: ['b'] });
    await space.create('Role', 'b', { roles: ['c'] });
    await space.create('Role', 'c', { dataSources: ['x'] });
    for (const role of ['a', 'b', 'c']) await space.reason('Role', role, 'Converged');
    await reaches('a', 'w,x');
    await space.patch('Role', 'c', { spec: { dataSources: ['y'] } });
    await reaches('a', 'w,y');
    await space.create('RoleMembership', 'm', { role: 'c', dataSource: 'z' });
    await reaches('a', 'w,y,z');
    await space.remove('RoleMembership', 'm');
    await reaches('a', 'w,y');
    await reaches('b', 'y');
    await space.patch('Role', 'b', { spec: { roles: [] } });
    await reaches('a', 'w');
    assert.equal(await inRole('c', 'People'), '');
    assert.equal(await inRole('a', 'People'), 'ada');
    await space.reason('Role', 'a', 'Converged');
  });

  it('is left as it is, and says so, while a role within it is gone, also where memberships are exact', async () => {
    const { space, inRole, reaches } = await start({ exact: ['memberships'] });
    await space.create('Role', 'a', { people: [], roles: ['b'] });
    assert.match(await space.reason('Role', 'a', 'MissingReference'), /Role a contains the role b/);
    await space.create('Role', 'b', { roles: ['c'] });
    await space.create('Role', 'c', { dataSources: ['x'] });
    await reaches('a', 'x');
    await space.reason('Role', 'a', 'Converged');
    await space.remove('Role', 'c');
    await space.gone('Role', 'c');
    for (const role of ['a', 'b'])
      assert.match(await space.reason('Role', role, 'MissingReference'), /Role b contains the role c/);
    assert.equal(await inRole('a', 'DataSources'), 'x');
    await space.create('Role', 'c', { dataSources: ['y'] });
    await reaches('a', 'y');
    for (const role of ['a', 'b', 'c']) await space.reason('Role', role, 'Converged');
  });

  it('is left as it is, and says so, while roles contain each other', async () => {
    const { space, inRole, reaches } = await start();
    await space.create('Role', 'a', { people: [], roles: ['b'] });
    await space.create('Role', 'b', { dataSources: ['x'], roles: ['c'] });
    await space.create('Role', 'c', { dataSources: ['y'], roles: [] });
    await reaches('a', 'x,y');
    await space.patch('Role', 'c', { spec: { dataSources: ['z'], roles: ['b'] } });
    for (const role of ['a', 'b', 'c'])
      assert.match(await space.reason('Role', role, 'Invalid'), /b contains c contains b|c contains b contains c/);
    for (const [role, has] of [
      ['a', 'x,y'],
      ['b', 'x,y'],
      ['c', 'y'],
    ] as const)
      assert.equal(await inRole(role, 'DataSources'), has);
    await space.patch('Role', 'c', { spec: { roles: ['c'] } });
    assert.match(await space.reason('Role', 'c', 'Invalid'), /c contains c/);
    await space.patch('Role', 'c', { spec: { roles: [] } });
    await reaches('a', 'x,z');
    for (const role of ['a', 'b', 'c']) await space.reason('Role', role, 'Converged');
  });

  it('keeps its data sources while it is not known what is added to a role within it', async () => {
    const { space, inRole, reaches } = await start();
    await space.create('Role', 'b', {});
    await space.create('RoleMembership', 'm', { role: 'b', dataSource: 'x' });
    await space.create('Role', 'a', { people: ['ada'], dataSources: [], roles: ['b'] });
    await reaches('a', 'x');
    for (const one of suite.running.splice(0)) await one.stop();
    // This operator never knew what it was.
    await space.patch('RoleMembership', 'm', { spec: { expiresAt: '2030-01-01T00:00:00Z' } });
    await suite.operate();
    await space.reason('RoleMembership', 'm', 'Invalid');
    await space.patch('Role', 'a', { spec: { people: [] } });
    await until(async () => (await inRole('a', 'People')) === '', 'nobody in the role');
    assert.equal(await inRole('a', 'DataSources'), 'x');
    assert.match(await space.reason('Role', 'a', 'Undetermined'), /RoleMembership\/m/);
    await space.patch('RoleMembership', 'm', { spec: { expiresAt: null } });
    await space.patch('Role', 'a', { spec: { dataSources: ['y'] } });
    await reaches('a', 'x,y');
  });
});
