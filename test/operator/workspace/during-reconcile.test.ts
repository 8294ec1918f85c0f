import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { type Namespace, readyOf } from '../support/installation.ts';
import { moveTo } from '../support/move.ts';
import { useInstallation } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

describe('what changes during a reconcile', () => {
  const suite = useInstallation();
  const reconcileMs = 500;
  const requestNow = { metadata: { annotations: { 'rolecall.dev/reconcile-requested-at': 'now' } } };

  async function start() {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    // The workspace is compared once an hour: nothing but a change brings another reconcile.
    await suite.operate();
    await space.create('Person', 'ada', person('ada'));
    await space.create('Role', 'watch', { people: ['ada'] });
    await space.reason('Person', 'ada', 'Converged');
    await space.reason('Role', 'watch', 'Converged');
    await space.reason('Workspace', 'workspace', 'Converged');
    const [ada] = await workspace.client.call('listPeople', {});
    return { space, workspace, params: { person: ada?.id ?? '' } };
  }

  /** Asks for a reconcile of the role, whose first call takes long. */
  async function beginReconcile(space: Namespace, { proxy }: TestWorkspace) {
    proxy.fault = ({ path }) => (/^\/api\/v2\/(person|snapshot)/.test(path) ? { delayMs: reconcileMs } : undefined);
    const before = proxy.requests.length;
    await space.patch('Role', 'watch', requestNow);
    await until(() => proxy.requests.length > before, 'the reconcile');
  }

  it('in a Workspace has all of its objects compared with the other one, also those that the reconcile took', async () => {
    const { space, workspace } = await start();
    const other = await suite.startWorkspace();
    const { id } = await other.client.call('createPerson', { body: person('ada') });
    await other.client.call('lockPerson', { params: { person: id } });
    await beginReconcile(space, workspace);
    await moveTo(suite.all.kube, space, other);
    await until(async () => (await other.client.call('listRoles', {})).length === 1, 'the role');
    await until(async () => !(await other.client.call('getPerson', { params: { person: id } })).isLocked);
    assert.equal((await other.client.call('listPeople', {})).length, 1);
  });

  it('is compared again where what a call made cannot be read while other calls run', async () => {
    const { space, workspace } = await start();
    await space.create('Snippet', 'top', { text: 'select 1' });
    await space.reason('Snippet', 'top', 'Converged');
    let failures = 0;
    workspace.proxy.fault = ({ method, path }) => {
      if (method === 'POST' && path.endsWith('/person')) return { delayMs: reconcileMs };
      if (method !== 'GET' || path !== '/api/v2/snippet' || failures > 0) return undefined;
      failures += 1;
      return { answer: 500 };
    };
    await Promise.all([
      space.patch('Snippet', 'top', { spec: { text: 'select 2' } }),
      space.create('Person', 'grace', person('grace')),
    ]);
    await until(() => failures > 0, 'the failure');
    await space.reason('Snippet', 'top', 'Converged');
    await space.reason('Person', 'grace', 'Converged');
  });

  it('in a Workspace is not what its status is about before it was reconciled', async () => {
    const { space, workspace } = await start();
    await beginReconcile(space, workspace);
    const { metadata } = await space.patch('Workspace', 'workspace', { spec: { url: 'http://127.0.0.1:1' } });
    await until(async () => {
      const ready = readyOf(await space.get('Workspace', 'workspace'));
      const isOfNow = ready?.observedGeneration === metadata['generation'];
      assert.ok(!isOfNow || ready?.status === 'False', 'Ready of an address that was not asked');
      return isOfNow;
    }, 'the status of the other address');
  });

  it('is a request that is answered once it was reconciled', async () => {
    const { space, workspace, params } = await start();
    await workspace.client.call('lockPerson', { params });
    await beginReconcile(space, workspace);
    await space.patch('Workspace', 'workspace', requestNow);
    const handled = async () =>
      (await space.get('Workspace', 'workspace'))?.status?.['lastHandledReconcileAt'] === 'now';
    await until(handled, 'the answer');
    assert.equal((await workspace.client.call('getPerson', { params })).isLocked, false);
  });

  it('is an object that is deleted before its first call, and is not made', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await space.create('Person', 'ada', person('ada'));
    // It needs no finalizer, and so is gone at once.
    await space.create('Person', 'ghost', { ...person('ghost'), deletionPolicy: 'Orphan' });
    let calls = 0;
    workspace.proxy.fault = ({ method }) => {
      if (method !== 'POST') return undefined;
      calls += 1;
      return { delayMs: reconcileMs };
    };
    await suite.operate({ concurrency: 1 });
    await until(() => calls > 0, 'the first call');
    await space.remove('Person', 'ghost');
    await space.gone('Person', 'ghost');
    await space.reason('Person', 'ada', 'Converged');
    await sleep(2 * reconcileMs);
    const people = await workspace.client.call('listPeople', {});
    assert.deepEqual(
      people.map(({ username }) => username),
      ['ada'],
    );
  });

  it('is a Secret that is away for a moment, and keeps nothing from being made', async () => {
    const workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    const secrets = `/api/v1/namespaces/${space.name}/secrets`;
    const put = () =>
      ask(suite.all.kube, 'POST', secrets, { metadata: { name: 'pw' }, stringData: { password: 'x1' } });
    await put();
    const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
    for (const name of ['a', 'c']) await space.create('DataSource', name, { uri });
    await space.create('DataSource', 'b', { uri, passwordFrom: { secretKeyRef: { name: 'pw', key: 'password' } } });
    const made = () => workspace.proxy.requests.filter(({ method }) => method === 'POST').length;
    workspace.proxy.fault = ({ method }) => (method === 'POST' ? { delayMs: reconcileMs } : undefined);
    await suite.operate({ concurrency: 1 });
    await until(() => made() === 1, 'the first');
    await ask(suite.all.kube, 'DELETE', `${secrets}/pw`);
    await until(() => made() === 2, 'the second');
    await put();
    await space.reason('DataSource', 'b', 'Converged');
  });
});
