import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { OperatorMetrics, systemClock } from '@rolecall/operator';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('the state of a permission', () => {
  const suite = useInstallation();
  const expiresAt = '2099-01-01T00:00:00Z';
  const paused = { 'rolecall.dev/paused': 'true' };

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const metrics = new OperatorMetrics(systemClock, 'test', '0.0.0');
    await suite.operate({ driftMs: 300, metrics });
    await space.create('Person', 'ada', person('ada'));
    await space.create('DataSource', 'db', { uri: 'postgresql://reporting@127.0.0.1:5432/billing' });
    await space.reason('DataSource', 'db', 'Converged');
    await space.reason('Person', 'ada', 'Converged');
    return { workspace, space, metrics };
  }
  const stateOf = async (space: Namespace, name: string) => (await space.get('Permission', name))?.status?.['state'];

  it('is Pending where no one was granted anything, whatever its window says', async () => {
    const { workspace, space, metrics } = await start();
    const spec = { person: 'ada', dataSource: 'db', expiresAt };
    await space.create('Permission', 'paused', spec, paused);
    await space.create('Permission', 'observed', {
      ...spec,
      managementPolicy: 'Observe',
      startsAt: '2026-01-01T00:00:00Z',
    });
    await space.create('Permission', 'missing', { ...spec, person: 'nobody' });
    await space.create('Permission', 'over', { ...spec, expiresAt: '2020-01-01T00:00:00Z' });
    await space.reason('Permission', 'paused', 'Paused');
    await space.reason('Permission', 'observed', 'ChangesPending');
    await space.reason('Permission', 'missing', 'MissingReference');
    await space.reason('Permission', 'over', 'WindowPast');
    assert.deepEqual(await workspace.client.call('listPermissions', {}), []);
    for (const name of ['paused', 'observed', 'missing']) assert.equal(await stateOf(space, name), 'Pending', name);
    assert.equal(await stateOf(space, 'over'), 'Expired');
    assert.match(metrics.render(), /^rolecall_permissions\{state="Active"\} 0$/m);
    assert.match(metrics.render(), /^rolecall_permissions\{state="Pending"\} 3$/m);
    await space.patch('Permission', 'paused', { metadata: { annotations: { 'rolecall.dev/paused': null } } });
    await space.reason('Permission', 'paused', 'Converged');
    await until(async () => (await stateOf(space, 'paused')) === 'Active', 'the state of what was granted');
  });

  it('says nothing of the grant that another object has', async () => {
    const { space } = await start();
    const spec = { person: 'ada', dataSource: 'db', expiresAt };
    await space.create('Permission', 'one', spec);
    await space.create('Permission', 'other', spec);
    const states = async () => Promise.all(['one', 'other'].map((name) => stateOf(space, name)));
    await until(async () => (await states()).every((state) => state !== undefined), 'both to be told of');
    await until(async () => (await states()).sort().join() === 'Active,Pending', 'one of the two to be Active');
  });

  it('stays Active while its object is paused, for as long as the grant is there', async () => {
    const { workspace, space } = await start();
    await space.create('Permission', 'kept', { person: 'ada', dataSource: 'db', expiresAt });
    await space.reason('Permission', 'kept', 'Converged');
    await space.patch('Permission', 'kept', { metadata: { annotations: paused } });
    await space.reason('Permission', 'kept', 'Paused');
    assert.equal(await stateOf(space, 'kept'), 'Active');
    const [granted] = await workspace.client.call('listPermissions', {});
    await workspace.client.call('deletePermission', { params: { permission: granted!.id } });
    await until(async () => (await stateOf(space, 'kept')) === 'Pending', 'the end of the grant to be told');
  });
});
