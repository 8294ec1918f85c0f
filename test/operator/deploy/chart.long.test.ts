import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { dataRules, leaseRules, objectRules } from '../../../operator/rbac/rules.ts';
import { requires } from '../../support/databases/parts.ts';
import { type AdminClient, adminClient, ask, type KubeObject, until } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { helmProgram } from '../../support/kubernetes/helm.ts';
import { type ClusterTools, clusterTools } from '../support/kubectl.ts';

const chart = path.resolve(import.meta.dirname, '../../../operator/deploy/chart');
const system = 'rolecall-system';

interface Rendered extends KubeObject {
  readonly rules?: readonly object[];
  readonly roleRef?: { readonly name: string };
}

/** Each with what makes it another one; together they take every branch of every template. */
const combinations: Readonly<Record<string, object>> = {
  'as they are': {},
  'two replicas': { replicas: 2 },
  'two replicas without a budget': { replicas: 2, podDisruptionBudget: { enabled: false } },
  'none for the moment': { replicas: 0 },
  'without leader election': { leaderElection: false },
  'one namespace': { watchNamespace: 'team-a', secrets: { namespaces: ['team-a'] } },
  'one namespace, Secrets by name': {
    watchNamespace: 'team-a',
    secrets: { named: [{ namespace: 'team-a', secrets: ['rolecall-key'], configMaps: ['queries'] }] },
  },
  'Secrets of some namespaces, others by name': {
    secrets: { namespaces: ['team-a'], named: [{ namespace: 'team-b', configMaps: ['queries'] }] },
  },
  'without metrics and policies': {
    metrics: { enabled: false },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
  },
  'a policy that lets nobody read metrics, and other ports': {
    networkPolicy: { metricsFrom: [], apiServerPorts: [6443], workspacePorts: [8480, 6443] },
  },
  'an account and rights that are there already': {
    serviceAccount: { create: false, name: 'given' },
    rbac: { create: false },
    crds: { install: false },
  },
  'kinds that go with the chart': { crds: { keep: false } },
  'an image by its digest, and all that pods take': {
    image: { repository: 'images.example.com/rolecall', digest: `sha256:${'0'.repeat(64)}`, pullPolicy: 'Always' },
    imagePullSecrets: [{ name: 'pull' }],
    extraArgs: ['--format=json'],
    extraEnv: [{ name: 'NODE_EXTRA_CA_CERTS', value: '/authority/ca.crt' }],
    extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
    extraVolumeMounts: [{ name: 'authority', mountPath: '/authority', readOnly: true }],
    serviceAccount: { annotations: { note: 'a' }, name: 'other' },
    podAnnotations: { note: 'a' },
    podLabels: { team: 'platform' },
    nodeSelector: { 'kubernetes.io/os': 'linux' },
    tolerations: [{ key: 'infra', operator: 'Exists' }],
    affinity: { nodeAffinity: {} },
    priorityClassName: 'system-cluster-critical',
    resources: {},
    metrics: { port: 9090 },
  },
};

const refused: Readonly<Record<string, readonly [object, RegExp]>> = {
  'a name that is not among them': [{ replica: 2 }, /'replica' not allowed/],
  'two leaders': [{ replicas: 2, leaderElection: false }, /only with one replica/],
  'a drift interval that is none': [{ driftInterval: 'often' }, /driftInterval/],
  'a digest that is none': [{ image: { digest: 'latest' } }, /digest/],
  'a port of the probes': [{ metrics: { port: 8081 } }, /port/],
  'named Secrets without a name': [{ secrets: { named: [{ namespace: 'a' }] } }, /secrets/],
  'no account': [{ serviceAccount: { create: false } }, /serviceAccount.name is needed/],
  'a monitor of nothing': [{ serviceMonitor: { enabled: true }, metrics: { enabled: false } }, /needs metrics.enabled/],
};

describe('the chart for Helm', requires('kubernetes', 'kubectl', 'helm'), () => {
  let server: Apiserver;
  let tools: ClusterTools;
  let admin: AdminClient;
  let helm: string;

  before(async () => {
    [server, helm] = await Promise.all([startApiserver(), helmProgram()]);
    tools = await clusterTools(server.kubeconfig);
    admin = adminClient(server);
    const labels = { 'pod-security.kubernetes.io/warn': 'restricted' };
    for (const name of [system, 'team-a', 'team-b'])
      await ask(admin, 'POST', '/api/v1/namespaces', { metadata: { name, labels } });
  });
  after(async () => {
    await admin[Symbol.asyncDispose]();
    await tools[Symbol.asyncDispose]();
    await server.stop();
  });

  const template = async (values: object) => {
    const args = ['template', 'rolecall-operator', chart, '--namespace', system, '--values', '-'];
    return tools.run(helm, args, JSON.stringify(values));
  };
  const objectsOf = (text: string): Rendered[] =>
    parseAllDocuments(text).flatMap((one) => (one.toJS() as Rendered | null) ?? []);

  it('is without fault to its linter', async () => {
    const { code, stdout } = await tools.run(helm, ['lint', '--strict', chart]);
    assert.equal(code, 0, stdout);
    assert.doesNotMatch(stdout, /WARNING|ERROR/);
  });

  for (const [name, values] of Object.entries(combinations)) {
    it(`renders what an API server takes without a warning: ${name}`, async () => {
      const { code, stdout, stderr } = await template(values);
      assert.equal(code, 0, stderr);
      const applied = await tools.kubectl(
        ['apply', '--server-side', '--validate=strict', '--dry-run=server', '-f', '-'],
        stdout,
      );
      assert.equal(applied.stderr, '');
      assert.equal(applied.stdout.trim().split('\n').length, objectsOf(stdout).length);
    });
  }

  for (const [name, [values, message]] of Object.entries(refused)) {
    it(`refuses ${name}`, async () => {
      const { code, stderr } = await template(values);
      assert.notEqual(code, 0);
      assert.match(stderr, message);
    });
  }

  it('gives the operator exactly what the list of rules says', async () => {
    const objects = objectsOf((await template({})).stdout);
    const rulesOf = (kind: string, name: string) =>
      objects.find((one) => one.kind === kind && one.metadata.name === name)?.rules;
    assert.deepEqual(rulesOf('ClusterRole', 'rolecall-operator'), objectRules);
    assert.deepEqual(rulesOf('ClusterRole', 'rolecall-operator-data'), dataRules);
    assert.deepEqual(rulesOf('Role', 'rolecall-operator-lease'), leaseRules);
  });

  it('gives no rights in the whole cluster where one namespace is followed', async () => {
    const values = {
      watchNamespace: 'team-a',
      secrets: { named: [{ namespace: 'team-a', secrets: ['rolecall-key'] }] },
      crds: { install: false },
    };
    const objects = objectsOf((await template(values)).stdout);
    assert.deepEqual(
      objects.filter(({ kind }) => kind?.startsWith('Cluster')),
      [],
    );
    const named = objects.find((one) => one.metadata.name === 'rolecall-operator-named' && one.kind === 'Role');
    assert.deepEqual(named?.rules, [
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['rolecall-key'], verbs: dataRules[0]?.verbs },
    ]);
  });

  it('passes on what the values say to the operator', async () => {
    const values = {
      watchNamespace: 'team-a',
      driftInterval: '5m',
      metrics: { port: 9090 },
      extraArgs: ['--format=json'],
    };
    const deployment = objectsOf((await template(values)).stdout).find(({ kind }) => kind === 'Deployment');
    const { containers } = (deployment?.spec?.['template'] as { spec: { containers: { args: string[] }[] } }).spec;
    assert.deepEqual(containers[0]?.args, [
      'operator',
      '--drift-interval=5m',
      '--health-probe-bind-address=:8081',
      '--metrics-bind-address=:9090',
      `--lease-namespace=${system}`,
      '--namespace=team-a',
      '--format=json',
    ]);
  });

  it('is installed, upgrades itself and the kinds, and leaves the kinds when it goes', async () => {
    const upgrade = async (folder: string, ...more: string[]) => {
      const args = ['upgrade', '--install', 'rolecall-operator', folder, '--namespace', system, ...more];
      const { code, stderr, stdout } = await tools.run(helm, args);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    assert.match(await upgrade(chart), /kubectl create rolebinding rolecall-operator-data/);
    const crd = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/people.rolecall.dev';
    const namesOf = async () =>
      (await ask<{ spec: { names: { shortNames?: string[] } } }>(admin, 'GET', crd)).spec.names;
    assert.deepEqual((await namesOf()).shortNames, ['rcperson']);
    const people = '/apis/rolecall.dev/v1alpha1/namespaces/team-a/people';
    await until(async () => (await admin.call('GET', people)).status === 200, 'the new kind to be served');
    await ask(admin, 'POST', people, {
      apiVersion: 'rolecall.dev/v1alpha1',
      kind: 'Person',
      metadata: { name: 'ada' },
      spec: { username: 'ada', name: 'Ada', email: 'ada@example.com' },
    });
    const newer = path.join(tools.folder, 'chart');
    await cp(chart, newer, { recursive: true });
    const file = path.join(newer, 'templates/crds/rolecall.dev_people.yaml');
    await writeFile(file, (await readFile(file, 'utf8')).replace('- rcperson', '- rcperson\n      - rcp'));
    await upgrade(newer, '--set', 'replicas=2');
    assert.deepEqual((await namesOf()).shortNames, ['rcperson', 'rcp']);
    const deployment = `/apis/apps/v1/namespaces/${system}/deployments/rolecall-operator`;
    assert.equal((await ask(admin, 'GET', deployment)).spec?.['replicas'], 2);
    const gone = await tools.run(helm, ['uninstall', 'rolecall-operator', '--namespace', system]);
    assert.equal(gone.code, 0, gone.stderr);
    assert.equal((await admin.call('GET', deployment)).status, 404);
    // A definition that is being deleted answers for a while, until its objects are gone.
    assert.equal((await ask(admin, 'GET', crd)).metadata.deletionTimestamp, undefined);
    assert.equal((await admin.call('GET', `${people}/ada`)).status, 200);
  });
});
