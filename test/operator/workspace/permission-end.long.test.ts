import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Permission } from '@rolecall/api';
import { OperatorMetrics, systemClock } from '@rolecall/operator';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('a permission whose end is set to a moment that is over', () => {
  const suite = useInstallation();
  const paused = { 'rolecall.dev/paused': 'true' };
  const minuteAgo = () => new Date(Date.now() - 60_000).toISOString();

  async function grant(window: Record<string, unknown>, workspaceSpec: Record<string, unknown> = {}) {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace(workspaceSpec, workspace);
    const metrics = new OperatorMetrics(systemClock, 'test', '0.0.0');
    const operating = await suite.operate({ driftMs: 300, metrics, namespace: space.name });
    await space.create('Person', 'liv', person('liv'));
    await space.create('DataSource', 'shop', { uri: 'postgresql://reporting@127.0.0.1:5432/shop' });
    await space.create('Permission', 'c1', { person: 'liv', dataSource: 'shop', ...window });
    await space.reason('Permission', 'c1', 'Converged');
    const granted = async () => (await workspace.client.call('listPermissions', {})).length;
    assert.equal(await granted(), 1);
    const status = async () => (await space.get('Permission', 'c1'))?.status;
    const value = (line: string) => metrics.render().split('\n').includes(line);
    return { workspace, space, operating, granted, status, value };
  }

  for (const exact of [[], ['permissions']]) {
    it(`ends its grant and is Expired, as one that has ended is${exact.length > 0 ? ', where permissions are exact' : ''}`, async () => {
      const { space, granted, status, value } = await grant({ expiresAt: '2098-05-01T00:00:00Z' }, { exact });
      const expiresAt = minuteAgo();
      await space.patch('Permission', 'c1', { spec: { expiresAt } });
      await until(async () => (await granted()) === 0, 'the end of the grant');
      await space.reason('Permission', 'c1', 'Converged');
      assert.deepEqual([(await status())?.['state'], (await status())?.['expiresAt']], ['Expired', expiresAt]);
      // Several looks for drift later it is no other.
      const before = await space.get('Permission', 'c1');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      assert.deepEqual(await space.get('Permission', 'c1'), before);
      await space.reason('Workspace', 'workspace', 'Converged');
      assert.ok(value('rolecall_permissions{state="Expired"} 1'));
      assert.ok(value('rolecall_permissions{state="Active"} 0'));
      assert.ok(
        !value('rolecall_permission_transition_delay_seconds_count{state="Expired"} 1'),
        'a revocation is not late',
      );
    });
  }

  it('ends its grant where its length is what was shortened', async () => {
    const { space, granted, status } = await grant({ duration: '8h' });
    const before = await status();
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await space.patch('Permission', 'c1', { spec: { duration: '1s' } });
    await until(async () => (await granted()) === 0, 'the end of the grant');
    await space.reason('Permission', 'c1', 'Converged');
    assert.equal((await status())?.['state'], 'Expired');
    assert.equal((await status())?.['startsAt'], before?.['startsAt']);
  });

  it('ends the grant that was made and, for a crash, not written down', async () => {
    const { space, operating, granted, status } = await grant({ duration: '8h' });
    const { id: _id, ...known } = (await status()) ?? {};
    await operating.stop();
    const ready = { ...readyOf(await space.get('Permission', 'c1')), status: 'False', reason: 'Granting' };
    await suite.all.kube.call(
      'PATCH',
      `/apis/rolecall.dev/v1alpha1/namespaces/${space.name}/permissions/c1/status`,
      { status: { ...known, id: null, conditions: [ready] } },
      'application/merge-patch+json',
    );
    assert.equal((await status())?.['id'], undefined);
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await space.patch('Permission', 'c1', { spec: { duration: '1s' } });
    await suite.operate({ driftMs: 300 });
    await until(async () => (await granted()) === 0, 'the end of the grant');
    await space.reason('Permission', 'c1', 'Converged');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    await space.reason('Permission', 'c1', 'Converged');
  });

  it('ends its grant where it has only a length now, and is said to have ended', async () => {
    const { space, granted, status } = await grant({ expiresAt: '2098-05-01T00:00:00Z' });
    const annotations = { 'rolecall.dev/ended': 'true' };
    await space.patch('Permission', 'c1', { metadata: { annotations }, spec: { expiresAt: null, duration: '8h' } });
    await until(async () => (await granted()) === 0, 'the end of the grant');
    await space.reason('Permission', 'c1', 'Converged');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.equal((await status())?.['state'], 'Expired');
    assert.equal(await granted(), 0);
  });

  it('is WindowPast as ever where nothing was granted for it, and names what its definition may have been of', async () => {
    const { workspace, space, granted } = await grant({ expiresAt: '2098-05-01T00:00:00Z' });
    const [{ person: liv, dataSource }] = (await workspace.client.call('listPermissions', {})) as [Permission];
    const params = { person: liv.id, dataSource: dataSource.id };
    await workspace.client.call('createPermission', { params, body: { duration: 86_400 } });
    await space.create('Permission', 'past', { person: 'liv', dataSource: 'shop', expiresAt: minuteAgo() });
    // The operator sees what was granted by hand with its next look for drift.
    const names = async () =>
      /never granted.*where liv has shop from/.test(await space.reason('Permission', 'past', 'WindowPast'));
    await until(names, 'the running grant in the message');
    assert.equal((await space.get('Permission', 'past'))?.status?.['state'], 'Expired');
    assert.equal(await granted(), 2);
  });

  it('is Active until the old grant has ended: while it is paused, and while the service does not end it', async () => {
    const { workspace, space, granted, status, value } = await grant({ expiresAt: '2098-05-01T00:00:00Z' });
    await space.patch('Permission', 'c1', { metadata: { annotations: paused }, spec: { expiresAt: minuteAgo() } });
    await space.reason('Permission', 'c1', 'Paused');
    const shown = async () => [(await status())?.['state'], (await status())?.['expiresAt']];
    assert.deepEqual(await shown(), ['Active', '2098-05-01T00:00:00.000Z']);
    workspace.proxy.fault = ({ method }) => (method === 'DELETE' ? { answer: 500 } : undefined);
    await space.patch('Permission', 'c1', { metadata: { annotations: { 'rolecall.dev/paused': null } } });
    await space.reason('Permission', 'c1', 'Failed');
    assert.deepEqual(await shown(), ['Active', '2098-05-01T00:00:00.000Z']);
    assert.ok(value('rolecall_permissions{state="Active"} 1'));
    workspace.proxy.fault = () => undefined;
    await space.reason('Permission', 'c1', 'Converged');
    assert.equal((await shown())[0], 'Expired');
    assert.equal(await granted(), 0);
  });
});
