import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { readyOf } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('two permissions that declare the same grant', () => {
  const suite = useInstallation();

  it('keep it while one of them does, though the one that was granted it gets another window', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const { log } = await suite.operate({ driftMs: 300 });
    await space.create('Person', 'liv', person('liv'));
    await space.create('DataSource', 'shop', { uri: 'postgresql://reporting@127.0.0.1:5432/billing' });
    await space.reason('DataSource', 'shop', 'Converged');
    const spec = { person: 'liv', dataSource: 'shop', expiresAt: '2029-05-01T00:00:00Z' };
    await Promise.all(['c1', 'c2'].map((name) => space.create('Permission', name, spec)));
    const reasons = async () =>
      Promise.all(['c1', 'c2'].map(async (name) => readyOf(await space.get('Permission', name))?.reason));
    await until(async () => (await reasons()).sort().join() === 'Conflict,Converged', 'one of them to have it');
    const owner = (await reasons())[0] === 'Converged' ? 'c1' : 'c2';
    const other = owner === 'c1' ? 'c2' : 'c1';
    const [granted] = await workspace.client.call('listPermissions', {});
    await space.patch('Permission', owner, { spec: { expiresAt: '2028-05-01T00:00:00Z' } });
    await space.reason('Permission', owner, 'Converged');
    await space.reason('Permission', other, 'Converged');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const left = await workspace.client.call('listPermissions', {});
    assert.deepEqual(
      left.map(({ expiresAt }) => expiresAt),
      ['2029-05-01T00:00:00.000Z', '2028-05-01T00:00:00.000Z'],
    );
    assert.equal(left[0]!.id, granted!.id, log.join('\n'));
    assert.equal((await space.get('Permission', other))?.status?.['id'], granted!.id);
    assert.doesNotMatch(log.join('\n'), /end the permission/);
  });

  it('leave nothing of what the younger one had before, once that is deleted', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name });
    await space.create('Person', 'liv', person('liv'));
    await space.create('DataSource', 'shop', { uri: 'postgresql://reporting@127.0.0.1:5432/billing' });
    const first = { person: 'liv', dataSource: 'shop', expiresAt: '2088-05-01T00:00:00Z' };
    const second = { ...first, expiresAt: '2089-05-01T00:00:00Z' };
    await space.create('Permission', 'c1', first);
    await space.create('Permission', 'c2', second);
    await space.reason('Permission', 'c1', 'Converged');
    await space.reason('Permission', 'c2', 'Converged');
    const reasonOf = async (name: string) => readyOf(await space.get('Permission', name))?.reason;
    await space.patch('Permission', 'c2', { spec: first });
    await until(async () => (await Promise.all(['c1', 'c2'].map(reasonOf))).includes('Conflict'), 'a conflict');
    const younger = (await reasonOf('c1')) === 'Conflict' ? 'c1' : 'c2';
    await space.remove('Permission', younger);
    await space.gone('Permission', younger);
    await space.reason('Permission', younger === 'c1' ? 'c2' : 'c1', 'Converged');
    const left = (await workspace.client.call('listPermissions', {})).map(({ expiresAt }) => expiresAt);
    assert.deepEqual(left, ['2088-05-01T00:00:00.000Z']);
  });
});
