import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { editorRules } from '../../operator/rbac/rules.ts';
import { requires } from '../support/databases/parts.ts';
import { type AdminClient, adminClient, ask, kindPath, until } from '../support/kubernetes/admin-client.ts';
import { person } from './support/definitions.ts';
import { type Cluster, type Namespace, readyOf, startCluster } from './support/installation.ts';

const rbac = '/apis/rbac.authorization.k8s.io/v1';

/** Someone who may edit the kinds of Rolecall in one namespace, and nothing else. */
async function tenantOf(all: Cluster, { name: namespace }: Namespace): Promise<AdminClient> {
  const accounts = `/api/v1/namespaces/${namespace}/serviceaccounts`;
  await ask(all.kube, 'POST', accounts, { metadata: { name: 'tenant' } });
  await ask(all.kube, 'POST', `${rbac}/namespaces/${namespace}/rolebindings`, {
    metadata: { name: 'tenant' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'rolecall-editor' },
    subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace }],
  });
  const token = await ask<{ status: { token: string } }>(all.kube, 'POST', `${accounts}/tenant/token`, {
    apiVersion: 'authentication.k8s.io/v1',
    kind: 'TokenRequest',
    spec: { expirationSeconds: 3600 },
  });
  return adminClient({ ...all.server, token: token.status.token });
}

const create = (tenant: AdminClient, namespace: Namespace, plural: string, kind: string, name: string, spec: object) =>
  ask(tenant, 'POST', kindPath(plural, '', namespace.name), {
    ...{ apiVersion: 'rolecall.dev/v1alpha1', kind },
    metadata: { name },
    spec,
  });

const numbered = (count: number): string[] => Array.from({ length: count }, (_, index) => `n${index}`);

/** Has the tenant do something for each name, some at a time. */
async function each(names: readonly string[], work: (name: string) => Promise<unknown>): Promise<void> {
  for (let from = 0; from < names.length; from += 20) await Promise.all(names.slice(from, from + 20).map(work));
}

describe('the editor of a namespace', requires('kubernetes'), () => {
  let all: Cluster;

  before(async () => {
    all = await startCluster();
    await ask(all.kube, 'POST', `${rbac}/clusterroles`, { metadata: { name: 'rolecall-editor' }, rules: editorRules });
  });
  after(() => all.stop());

  it('may write objects there, no statuses, and nothing elsewhere', async () => {
    const [space, other] = [await all.namespace(), await all.namespace()];
    await using tenant = await tenantOf(all, space);
    const status = `${kindPath('workspaces', 'workspace', space.name)}/status`;
    const forged = await tenant.call('PATCH', status, { status: {} }, 'application/merge-patch+json');
    assert.equal(forged.status, 403);
    const body = {
      apiVersion: 'rolecall.dev/v1alpha1',
      kind: 'Person',
      metadata: { name: 'ada' },
      spec: person('ada'),
    };
    assert.equal((await tenant.call('POST', kindPath('people', '', other.name), body)).status, 403);
    assert.equal((await tenant.call('GET', `/api/v1/namespaces/${space.name}/secrets/rolecall-key`)).status, 403);
  });

  it('cannot have the operator send a Secret to an address that it does not serve', async () => {
    const space = await all.namespace();
    await using tenant = await tenantOf(all, space);
    const operating = await all.operate({
      lease: { namespace: space.name, name: 'addresses' },
      addresses: { urls: [all.workspace.proxy.url], allowed: ['127.0.0.1'] },
    });
    try {
      await space.reason('Workspace', 'workspace', 'Converged');
      const credentialsFrom = { secretKeyRef: { name: 'rolecall-key' } };
      for (const [index, url] of ['http://169.254.169.254', 'https://attacker.example'].entries()) {
        await create(tenant, space, 'workspaces', 'Workspace', `other-${index}`, { url, credentialsFrom });
        assert.match(await space.reason('Workspace', `other-${index}`, 'AddressDenied'), /spec\.url/);
      }
    } finally {
      await operating.stop();
    }
  });

  it('keeps no one waiting by naming more Secrets than a connection has streams', async () => {
    const [crowd, team] = [await all.namespace(), await all.namespace()];
    await using tenant = await tenantOf(all, crowd);
    const operating = await all.operate({ lease: { namespace: crowd.name, name: 'secrets' } });
    try {
      await each(numbered(150), (name) =>
        create(tenant, crowd, 'datasources', 'DataSource', name, {
          ...{ name, uri: `postgresql://reader@db.example.com/${name}` },
          passwordFrom: { secretKeyRef: { name: `absent-${name}`, key: 'password' } },
        }),
      );
      for (const name of numbered(150).slice(-3)) await crowd.reason('DataSource', name, 'SecretNotFound');
      await team.create('Person', 'grace', person('grace'));
      await team.reason('Person', 'grace', 'Converged');
    } finally {
      await operating.stop();
    }
  });

  it('takes no more of the memory than a namespace may, with many objects and with large ones', async () => {
    const [crowd, team] = [await all.namespace({ exact: ['people'] }), await all.namespace()];
    await using tenant = await tenantOf(all, crowd);
    // A page of a list would have more than the operator takes at once.
    const people = Array.from({ length: 4_000 }, (_, index) => `${index}`.padStart(200, 'x'));
    await each(numbered(21), (name) => create(tenant, crowd, 'roles', 'Role', name, { name, people }));
    const operating = await all.operate({
      lease: { namespace: crowd.name, name: 'memory' },
      maxObjects: 600,
      driftMs: 1_000,
    });
    try {
      const message = await crowd.reason('Workspace', 'workspace', 'TooManyObjects');
      assert.match(message, /more than 600 objects/);
      await team.create('Person', 'linus', person('linus'));
      await team.reason('Person', 'linus', 'Converged');
      await each(numbered(21), (name) => ask(tenant, 'DELETE', kindPath('roles', name, crowd.name)));
      await until(async () => {
        const workspace = readyOf(await crowd.get('Workspace', 'workspace'));
        return workspace?.reason !== 'TooManyObjects';
      }, 'the namespace with room again');
      await create(tenant, crowd, 'people', 'Person', 'ada', person('ada'));
      await crowd.reason('Person', 'ada', 'Converged');
    } finally {
      await operating.stop();
    }
  });
});
