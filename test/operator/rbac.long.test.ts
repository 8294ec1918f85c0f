import assert from 'node:assert/strict';
import { after, afterEach, before, describe, it } from 'node:test';
import { kindNames } from '@rolecall/crds';
import { dataRules, leaseRules, objectRules } from '../../operator/rbac/rules.ts';
import { requires } from '../support/databases/parts.ts';
import { ask } from '../support/kubernetes/admin-client.ts';
import { allowedBy, readAudit, useOf } from './support/audit.ts';
import { type Cluster, type Operating, startCluster } from './support/installation.ts';

const uri = 'postgresql://reporting@127.0.0.1:5432/billing';
const merge = 'application/merge-patch+json';

/** One of each kind, with everything that an object can refer to. */
const objects: readonly (readonly [string, string, Record<string, unknown>])[] = [
  ['Person', 'ada', { username: 'ada', name: 'Ada Lovelace', email: 'ada@example.com' }],
  ['DataSource', 'billing', { uri, passwordFrom: { secretKeyRef: { name: 'billing-db', key: 'password' } } }],
  ['Role', 'analysts', { dataSources: ['billing'] }],
  ['RoleMembership', 'member', { role: 'analysts', person: 'ada' }],
  ['Permission', 'allowed', { person: 'ada', dataSource: 'billing', duration: '8h' }],
  ['Snippet', 'top', { textFrom: { configMapKeyRef: { name: 'sql', key: 'top' } }, owner: { role: 'analysts' } }],
];

describe('the rights of the operator', requires('kubernetes'), () => {
  let all: Cluster;
  const running: Operating[] = [];

  before(async () => {
    all = await startCluster();
  });
  afterEach(async () => {
    for (const one of running.splice(0)) await one.stop();
  });
  after(() => all.stop(/^list .*\/team-2\/secrets/));

  it('are what it needs for everything it does, and nothing of them is left unused', async () => {
    const space = await all.namespace();
    const lease = { namespace: space.name, name: 'rolecall-operator' };
    running.push(await all.operate({ lease }), await all.operate({ lease }));
    const data = (kind: string) => `/api/v1/namespaces/${space.name}/${kind}`;
    await ask(all.kube, 'POST', data('secrets'), { metadata: { name: 'billing-db' }, stringData: { password: 'one' } });
    await ask(all.kube, 'POST', data('configmaps'), { metadata: { name: 'sql' }, data: { top: 'select 1' } });
    for (const [kind, name, spec] of objects) await space.create(kind, name, spec);
    for (const [kind, name] of objects) await space.reason(kind, name, 'Converged');
    await ask(all.kube, 'PATCH', `${data('secrets')}/billing-db`, { stringData: { password: 'two' } }, merge);
    await space.patch('Role', 'analysts', { spec: { people: ['nobody'] } });
    await space.reason('Role', 'analysts', 'MissingReference');
    await space.patch('Role', 'analysts', { spec: { people: [] } });
    await space.reason('Role', 'analysts', 'Converged');
    await running.shift()?.stop();
    for (const [kind, name] of objects) await space.remove(kind, name);
    for (const [kind, name] of objects) await space.gone(kind, name);
    await space.remove('Workspace', 'workspace');
    await space.gone('Workspace', 'workspace');
    await running.shift()?.stop();
    const allowed = allowedBy([...objectRules, ...dataRules, ...leaseRules]);
    const used = new Set((await readAudit(all.server.auditLog ?? '', all.account.username)).map(useOf));
    assert.deepEqual(
      allowed.filter((right) => !used.has(right)),
      [],
      'rights that were never used',
    );
    assert.deepEqual(
      [...used].filter((use) => !allowed.includes(use)),
      [],
      'used without a right that is listed',
    );
  });

  it('are to ask for Secrets, ConfigMaps and its Lease by their names', async () => {
    const events = await readAudit(all.server.auditLog ?? '', all.account.username);
    const named = events.filter(({ objectRef }) =>
      ['secrets', 'configmaps', 'leases'].includes(objectRef?.resource ?? ''),
    );
    assert.ok(named.length > 5);
    for (const { verb, objectRef, requestURI } of named)
      if (verb !== 'create')
        assert.ok(objectRef?.name !== undefined || /fieldSelector=metadata\.name%3D/.test(requestURI), requestURI);
  });

  it('let it read no Secret of a namespace that has not bound them, and it says so', async () => {
    const space = await all.namespace();
    assert.equal(space.name, 'team-2');
    const binding = `/apis/rbac.authorization.k8s.io/v1/namespaces/${space.name}/rolebindings/rolecall-operator-data`;
    await ask(all.kube, 'DELETE', binding);
    running.push(await all.operate({ lease: { namespace: 'default', name: 'unbound' } }));
    const message = await space.reason('Workspace', 'workspace', 'SecretNotFound');
    assert.match(
      message,
      /the Secret rolecall-key cannot be read: .*forbidden.* apply operator\/deploy\/tenant to this namespace/,
    );
  });

  it('cover every kind', () => {
    const rules = allowedBy(objectRules);
    assert.equal(rules.filter((rule) => rule.startsWith('list rolecall.dev ')).length, kindNames.length);
    assert.equal(rules.filter((rule) => rule.endsWith('/status')).length, kindNames.length);
  });
});
