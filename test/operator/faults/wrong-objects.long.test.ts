import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { ask, until } from '../../support/kubernetes/admin-client.ts';
import { person } from '../support/definitions.ts';
import { type Cluster, type Namespace, type Operating, startCluster } from '../support/installation.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const planted = ['planted-password-1', 'planted-password-2', 'planted-in-a-uri'];
const uri = 'postgresql://reporting@127.0.0.1:5432/billing';

interface Wrong {
  readonly what: string;
  readonly kind: string;
  readonly spec: Record<string, unknown>;
  readonly reason: string;
  /** What a person has to be told to act: the field or reference, and the remedy. */
  readonly says: RegExp;
}

const wrong: readonly Wrong[] = [
  {
    what: 'a person who is nowhere',
    kind: 'Role',
    spec: { people: ['nobody'] },
    reason: 'MissingReference',
    says: /refers to the person nobody, which is neither declared nor on the server\. Declare the person/,
  },
  {
    what: 'a role who is nowhere',
    kind: 'RoleMembership',
    spec: { role: 'no-such-role', person: 'well' },
    reason: 'MissingReference',
    says: /refers to the role no-such-role.*Declare the role/,
  },
  {
    what: 'an owner who is nowhere',
    kind: 'Snippet',
    spec: { text: 'select 1', owner: { person: 'nobody' } },
    reason: 'MissingReference',
    says: /refers to the person nobody/,
  },
  {
    what: 'a Secret that is not there',
    kind: 'DataSource',
    spec: { uri, passwordFrom: { secretKeyRef: { name: 'no-secret', key: 'password' } } },
    reason: 'SecretNotFound',
    says: /spec\.passwordFrom: the Secret no-secret is not in the namespace/,
  },
  {
    what: 'a Secret without the key',
    kind: 'DataSource',
    spec: { uri, passwordFrom: { secretKeyRef: { name: 'planted', key: 'no-key' } } },
    reason: 'SecretNotFound',
    says: /spec\.passwordFrom: the Secret planted lacks the key no-key/,
  },
  {
    what: 'a ConfigMap that is not there',
    kind: 'Snippet',
    spec: { textFrom: { configMapKeyRef: { name: 'no-map', key: 'sql' } } },
    reason: 'ConfigMapNotFound',
    says: /spec\.textFrom: the ConfigMap no-map is not in the namespace/,
  },
  {
    what: 'a variable of the operator',
    kind: 'DataSource',
    spec: { uri, passwordFrom: { env: 'HOME' } },
    reason: 'Unsupported',
    says: /spec\.passwordFrom: in a cluster only secretKeyRef can be used/,
  },
  {
    what: 'a selector by what is no label, which the API server takes',
    kind: 'Role',
    spec: { dataSourceSelector: { matchLabels: { 'no label!': 'gold' } } },
    reason: 'Invalid',
    says: /spec\.dataSourceSelector.* is not the key of a label\. Write a name of/,
  },
  {
    what: 'a window that is over and was never granted',
    kind: 'Permission',
    spec: {
      person: 'well',
      dataSource: 'with-password',
      startsAt: '2020-01-01T00:00:00Z',
      expiresAt: '2020-01-02T00:00:00Z',
    },
    reason: 'WindowPast',
    says: /2020-01-02.*rolecall\.dev\/ended/,
  },
  {
    what: 'an e-mail address that someone has',
    kind: 'Person',
    spec: { ...person('second'), email: 'taken@example.com' },
    reason: 'EmailTaken',
    says: /taken@example\.com, which the person taken has/,
  },
  {
    what: 'another object that declares the same and is older',
    kind: 'Person',
    spec: person('well'),
    reason: 'Conflict',
    says: /Person\/well declares the same Person \(well\) and is older: delete one of the two/,
  },
  {
    what: 'a Workspace that is not there',
    kind: 'Person',
    spec: { ...person('homeless'), workspaceRef: 'elsewhere' },
    reason: 'WorkspaceNotFound',
    says: /spec\.workspaceRef: there is no Workspace elsewhere in this namespace/,
  },
  {
    what: 'a password that the service holds and no one declares, while the URI changes',
    kind: 'DataSource',
    spec: { uri: 'postgresql://other@127.0.0.1:5432/billing', alias: 'with-password' },
    reason: 'PasswordUndeclared',
    says: /declares no password while the service holds one\. Declare passwordFrom/,
  },
];

describe('an object that cannot be converged', requires('kubernetes'), () => {
  let all: Cluster;
  let workspace: TestWorkspace;
  let space: Namespace;
  let operator: Operating;

  before(async () => {
    [all, workspace] = await Promise.all([startCluster(), startWorkspace()]);
    space = await all.namespace({}, workspace);
    await workspace.client.call('createPerson', { body: { ...person('taken') } });
    const configUri = `postgresql://reporting:${planted[2]!}@127.0.0.1:5432/billing`;
    await workspace.client.call('createDataSource', { body: { name: 'w', alias: 'with-password', configUri } });
    await ask(all.kube, 'POST', `/api/v1/namespaces/${space.name}/secrets`, {
      metadata: { name: 'planted' },
      stringData: { password: planted[0] },
    });
    operator = await all.operate({ namespace: space.name, driftMs: 1_000 });
    await space.create('Person', 'well', person('well'));
    await space.reason('Person', 'well', 'Converged');
    // Moments of creation are whole seconds.
    await new Promise((resolve) => setTimeout(resolve, 1_100));
    for (const [index, { kind, spec }] of wrong.entries()) await space.create(kind, `wrong-${index}`, spec);
  });
  after(async () => {
    await operator.stop();
    await workspace.stop();
    await all.stop();
  });

  for (const [index, { what, kind, reason, says }] of wrong.entries()) {
    it(`says in one condition what to do: ${what}`, async () => {
      assert.match(await space.reason(kind, `wrong-${index}`, reason), says);
      const conditions = (await space.get(kind, `wrong-${index}`))?.status?.['conditions'] as { type: string }[];
      // By kstatus: not ready, and either nothing will change by itself or it goes on.
      assert.deepEqual(conditions.map(({ type }) => type).length, 2, JSON.stringify(conditions));
    });
  }

  it('holds up no one else', async () => {
    await space.create('DataSource', 'well', {
      uri,
      passwordFrom: { secretKeyRef: { name: 'planted', key: 'password' } },
    });
    await space.create('Role', 'well', { people: ['well'], dataSources: ['well'] });
    await space.reason('DataSource', 'well', 'Converged');
    await space.reason('Role', 'well', 'Converged');
  });

  it('is told of in one event, and written once, however often it is looked at', async () => {
    const settled = all.proxy.requests.length;
    await new Promise((resolve) => setTimeout(resolve, 3_500));
    const writes = all.proxy.requests.slice(settled).filter(({ method }) => method !== 'GET');
    assert.deepEqual(writes, []);
    const { items } = await ask<{ items: { regarding: { name: string; kind: string }; reason: string }[] }>(
      all.kube,
      'GET',
      `/apis/events.k8s.io/v1/namespaces/${space.name}/events`,
    );
    const told = items.map(({ regarding, reason }) => `${regarding.kind}/${regarding.name} ${reason}`);
    assert.deepEqual(told.length, new Set(told).size, 'an event was repeated');
  });

  it('repeats no secret, nor does anything else that is said, rotated and refused ones included', async () => {
    const secrets = `/api/v1/namespaces/${space.name}/secrets/planted`;
    const merge = 'application/merge-patch+json';
    await ask(all.kube, 'PATCH', secrets, { stringData: { password: planted[1] } }, merge);
    const rotatedAt = performance.now();
    const { id } = (await workspace.client.call('listDataSources', {})).find(({ alias }) => alias === 'well')!;
    await until(async () => {
      const detail = await workspace.client.call('getDataSourceDetail', { params: { dataSource: id } });
      return detail.configUri.includes(planted[1]!);
    }, 'the rotated password');
    assert.ok(performance.now() - rotatedAt < 2_000, 'it took longer than 2 s');
    workspace.proxy.fault = ({ method }) => (method === 'GET' ? undefined : { answer: 500 });
    await ask(all.kube, 'PATCH', secrets, { stringData: { password: planted[0] } }, merge);
    await space.reason('DataSource', 'well', 'Failed');
    workspace.proxy.fault = () => undefined;
    await space.reason('DataSource', 'well', 'Converged');
    const everything = await Promise.all([
      ...['workspaces', 'datasources', 'people', 'roles', 'permissions', 'snippets', 'rolememberships'].map((plural) =>
        ask(all.kube, 'GET', `/apis/rolecall.dev/v1alpha1/namespaces/${space.name}/${plural}`),
      ),
      ask(all.kube, 'GET', `/apis/events.k8s.io/v1/namespaces/${space.name}/events`),
    ]);
    const text = JSON.stringify([everything, operator.log]);
    for (const secret of [...planted, workspace.key.secret]) {
      assert.ok(!text.includes(secret), `${secret} is repeated`);
      assert.ok(!text.includes(Buffer.from(secret).toString('base64')), `${secret} is repeated in base64`);
    }
  });

  it('may be deleted all the same', async () => {
    for (const [index, { kind }] of wrong.entries()) await space.remove(kind, `wrong-${index}`);
    for (const [index, { kind }] of wrong.entries()) await space.gone(kind, `wrong-${index}`);
    const left = await workspace.client.call('listPeople', {});
    assert.deepEqual(left.map(({ username }) => username).sort(), ['taken', 'well']);
  });
});
