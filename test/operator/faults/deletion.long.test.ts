import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { readyOf } from '../support/installation.ts';
import { deleteNamespace } from '../support/namespace-controller.ts';
import { useCluster } from '../support/suite.ts';
import type { TestWorkspace } from '../support/workspace.ts';

const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
const objects: readonly [string, string, Record<string, unknown>][] = [
  ['Person', 'ada', { name: 'Ada', email: 'ada@example.com' }],
  ['DataSource', 'billing', { uri }],
  ['Role', 'analysts', { people: ['ada'], dataSources: ['billing'] }],
  ['Permission', 'ada', { person: 'ada', dataSource: 'billing', expiresAt: '2099-01-01T00:00:00Z' }],
];
const release = { metadata: { annotations: { 'rolecall.dev/released': 'true' } } };

describe('objects can be deleted', requires('kubernetes'), () => {
  // Nothing new may be made in a namespace that ends, and events are new.
  const suite = useCluster(/ \/apis\/events\.k8s\.io\/.*team-/);
  let workspace: TestWorkspace;

  async function converged() {
    workspace = await suite.startWorkspace();
    const space = await suite.all.namespace({}, workspace);
    await suite.operate({ namespace: space.name, driftMs: 500 });
    for (const [kind, name, spec] of objects) await space.create(kind, name, spec);
    for (const [kind, name] of objects) await space.reason(kind, name, 'Converged');
    const removeAll = async () => {
      for (const [kind, name] of objects) await space.remove(kind, name);
    };
    const allGone = async () => {
      for (const [kind, name] of objects) await space.gone(kind, name);
    };
    return { space, removeAll, allGone };
  }
  const isEmpty = async () => {
    const { client } = workspace;
    const left = await Promise.all([client.call('listPeople', {}), client.call('listRoles', {})]);
    return left.flat().length === 0;
  };

  it('after their Workspace was, which stays until they are gone', async () => {
    const { space, removeAll, allGone } = await converged();
    await space.remove('Workspace', 'workspace');
    assert.ok((await space.get('Workspace', 'workspace')) !== undefined);
    await removeAll();
    await allGone();
    await space.gone('Workspace', 'workspace');
    assert.ok(await isEmpty());
  });

  const orders: Readonly<Record<string, (collection: string) => number>> = {
    'in the order of the API': () => 0,
    'the Secret and the Workspace first': (one) => (/\/(secrets|workspaces)$/.test(one) ? 0 : 1),
    'the Workspace first and its Secret last': (one) =>
      one.endsWith('/secrets') ? 2 : one.endsWith('/workspaces') ? 0 : 1,
    'who refers to something after that': (one) => (/\/(people|datasources)$/.test(one) ? 0 : 1),
  };
  for (const [order, rank] of Object.entries(orders)) {
    it(`with their whole namespace: ${order}`, async () => {
      const { space } = await converged();
      const { collections, sweep } = await deleteNamespace(suite.all.kube, space.name);
      assert.ok(collections.length > 10, 'the namespace has other collections');
      const sorted = collections.toSorted((a, b) => rank(a) - rank(b));
      await until(() => sweep(sorted), 'the end of the namespace');
      assert.ok(await isEmpty());
    });
  }

  it('after their Secret, by an operator that never had the key: each says how it may go, and goes', async () => {
    const { space, removeAll, allGone } = await converged();
    for (const one of suite.running.splice(0)) await one.stop();
    await suite.operate({ namespace: space.name });
    await ask(suite.all.kube, 'DELETE', `/api/v1/namespaces/${space.name}/secrets/rolecall-key`);
    // Until the operator has heard of it, it still has the key, and what is removed is just gone.
    await space.reason('Workspace', 'workspace', 'SecretNotFound');
    await space.remove('Workspace', 'workspace');
    await removeAll();
    const said = async () => readyOf(await space.get('Workspace', 'workspace'));
    await until(async () => /rolecall-key.*rolecall\.dev\/released/.test((await said())?.message ?? ''));
    for (const [kind, name] of [...objects, ['Workspace', 'workspace']] as const)
      await space.patch(kind, name, release);
    await allGone();
    await space.gone('Workspace', 'workspace');
  });

  it('when their key was revoked: each says how it may go, and goes', async () => {
    const { space, removeAll, allGone } = await converged();
    const stringData = { secret: 'of-no-key' };
    const secret = `/api/v1/namespaces/${space.name}/secrets/rolecall-key`;
    await ask(suite.all.kube, 'PATCH', secret, { stringData }, 'application/merge-patch+json');
    await until(async () => readyOf(await space.get('Workspace', 'workspace'))?.status === 'False');
    await removeAll();
    const said = async () => readyOf(await space.get('Person', 'ada'));
    await until(async () => /rolecall\.dev\/released/.test((await said())?.message ?? ''));
    for (const [kind, name] of objects) await space.patch(kind, name, release);
    await allGone();
  });

  it('when the workspace does not answer any more: each says how it may go, and goes', async () => {
    const { space, removeAll, allGone } = await converged();
    await workspace.proxy.down(true);
    await removeAll();
    const said = async () => readyOf(await space.get('Person', 'ada'));
    await until(async () => /rolecall\.dev\/released/.test((await said())?.message ?? ''));
    const isHeld = async ([kind, name]: (typeof objects)[number]) =>
      /rolecall\.dev\/released/.test(readyOf(await space.get(kind, name))?.message ?? '');
    // What falls along with a person is in the workspace still, and says so.
    await until(async () => (await Promise.all(objects.map(isHeld))).every(Boolean));
    for (const [kind, name] of objects) await space.patch(kind, name, release);
    await allGone();
    await workspace.proxy.down(false);
  });
});
