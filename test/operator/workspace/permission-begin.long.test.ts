import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import type { Namespace } from '../support/installation.ts';
import { useInstallation } from '../support/suite.ts';

describe('a permission that gives only its length', () => {
  const suite = useInstallation();
  const uri = 'postgresql://reporting@127.0.0.1:5432/shop';
  const spec = { person: 'liv', dataSource: 'shop', duration: '2s' };
  const longer = { ...spec, duration: '8h' };
  const isPaused = (value: string | null) => ({ metadata: { annotations: { 'rolecall.dev/paused': value } } });

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ driftMs: 300, namespace: space.name });
    const granted = async () => workspace.client.call('listPermissions', {});
    return { workspace, space, granted };
  }
  async function around(space: Namespace): Promise<void> {
    await space.create('Person', 'liv', person('liv'));
    await space.create('DataSource', 'shop', { uri });
    await space.reason('Person', 'liv', 'Converged');
    await space.reason('DataSource', 'shop', 'Converged');
  }
  async function windowOf(space: Namespace, name = 'c1') {
    const { state, startsAt, expiresAt } = (await space.get('Permission', name))?.status ?? {};
    return { state, startsAt, expiresAt };
  }
  const pending = { state: 'Pending', startsAt: undefined, expiresAt: undefined };
  const longerThanItsLength = () => new Promise((resolve) => setTimeout(resolve, 2_500));
  /** Waits until it is granted, and holds it to have begun then. */
  async function begins(space: Namespace, granted: () => Promise<unknown[]>, since: number): Promise<void> {
    await space.reason('Permission', 'c1', 'Converged');
    assert.ok(Date.parse(String((await windowOf(space)).startsAt)) >= since);
    assert.equal((await granted()).length, 1);
  }

  it('begins when the Secret of its data source has come', async () => {
    const { space, granted } = await start();
    await space.create('Person', 'liv', person('liv'));
    await space.create('DataSource', 'shop', {
      uri,
      passwordFrom: { secretKeyRef: { name: 'late', key: 'password' } },
    });
    await space.create('Permission', 'c1', spec);
    await space.reason('Permission', 'c1', 'MissingReference');
    assert.deepEqual(await windowOf(space), pending);
    await longerThanItsLength();
    assert.deepEqual(await windowOf(space), pending);
    const since = Date.now();
    await ask(suite.all.kube, 'POST', `/api/v1/namespaces/${space.name}/secrets`, {
      metadata: { name: 'late' },
      stringData: { password: 'secret' },
    });
    await begins(space, granted, since);
  });

  it('begins when its person has come, and ends after its length', async () => {
    const { space, granted } = await start();
    await space.create('DataSource', 'shop', { uri });
    await space.create('Permission', 'c1', spec);
    await space.reason('Permission', 'c1', 'MissingReference');
    assert.deepEqual(await windowOf(space), pending);
    await longerThanItsLength();
    const since = Date.now();
    await space.create('Person', 'liv', person('liv'));
    await begins(space, granted, since);
    await until(async () => (await windowOf(space)).state === 'Expired', 'its end');
  });

  it('begins when the service has made what it refers to', async () => {
    const { workspace, space, granted } = await start();
    workspace.proxy.fault = ({ method, path }) =>
      method === 'POST' && path.includes('data') ? { answer: 500 } : undefined;
    await space.create('Person', 'liv', person('liv'));
    await space.create('DataSource', 'shop', { uri });
    await space.create('Permission', 'c1', spec);
    await space.reason('DataSource', 'shop', 'Failed');
    await longerThanItsLength();
    assert.deepEqual(await windowOf(space), pending);
    const since = Date.now();
    workspace.proxy.fault = () => undefined;
    await begins(space, granted, since);
  });

  it('begins when it is paused no more, and is then left paused with the window that it has', async () => {
    const { space, granted } = await start();
    await around(space);
    await space.create('Permission', 'c1', longer, { 'rolecall.dev/paused': 'true' });
    await space.reason('Permission', 'c1', 'Paused');
    assert.deepEqual(await windowOf(space), pending);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    const since = Date.now();
    await space.patch('Permission', 'c1', isPaused(null));
    await begins(space, granted, since);
    const window = await windowOf(space);
    await space.patch('Permission', 'c1', isPaused('true'));
    await space.reason('Permission', 'c1', 'Paused');
    assert.deepEqual(await windowOf(space), window);
  });

  it('begins when it is not only observed any more, until which nothing new is said of it', async () => {
    const { space, granted } = await start();
    await around(space);
    await space.create('Permission', 'c1', { ...longer, managementPolicy: 'Observe' });
    assert.match(await space.reason('Permission', 'c1', 'ChangesPending'), /Pending changes: grant liv shop for 8h\./);
    assert.deepEqual(await windowOf(space), pending);
    const before = await space.get('Permission', 'c1');
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    assert.deepEqual(await space.get('Permission', 'c1'), before);
    const since = Date.now();
    await space.patch('Permission', 'c1', { spec: { managementPolicy: 'Full' } });
    await begins(space, granted, since);
  });

  it('has its window written down before the call that grants it, and keeps that', async () => {
    const { workspace, space, granted } = await start();
    await around(space);
    const seen: unknown[] = [];
    workspace.proxy.fault = ({ method }) => (method === 'POST' ? { answer: 500 } : undefined);
    await space.create('Permission', 'c1', longer);
    await space.reason('Permission', 'c1', 'Failed');
    seen.push((await windowOf(space)).startsAt);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    seen.push((await windowOf(space)).startsAt);
    workspace.proxy.fault = () => undefined;
    await space.reason('Permission', 'c1', 'Converged');
    seen.push((await windowOf(space)).startsAt, (await granted())[0]?.startsAt);
    assert.notEqual(seen[0], undefined);
    assert.equal(new Set(seen).size, 1, seen.join());
  });

  it('that another one has, applied with it, begins and ends with that, and takes it over', async () => {
    const { space, granted } = await start();
    await space.create('Permission', 'c1', longer);
    await space.reason('Permission', 'c1', 'MissingReference');
    // The API server keeps the second in which an object came.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    await space.create('Permission', 'c2', longer);
    await space.reason('Permission', 'c2', 'Conflict');
    assert.deepEqual([await windowOf(space, 'c1'), await windowOf(space, 'c2')], [pending, pending]);
    await around(space);
    await space.reason('Permission', 'c1', 'Converged');
    await new Promise((resolve) => setTimeout(resolve, 2_500));
    await space.reason('Permission', 'c2', 'Conflict');
    const { startsAt, expiresAt } = await windowOf(space, 'c1');
    assert.deepEqual(await windowOf(space, 'c2'), { state: 'Pending', startsAt, expiresAt });
    const before = await granted();
    await space.remove('Permission', 'c1');
    await space.gone('Permission', 'c1');
    await space.reason('Permission', 'c2', 'Converged');
    assert.deepEqual(await granted(), before);
    assert.equal(before.length, 1);
  });
});
