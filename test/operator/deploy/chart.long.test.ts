import assert from 'node:assert/strict';
import { cp, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, parseAllDocuments } from 'yaml';
import { readIdentities } from '../../../cli/commands/operator/identities.ts';
import { dataRules, leaseRules, objectRules } from '../../../operator/rbac/rules.ts';
import { find, requires } from '../../support/databases/parts.ts';
import { type AdminClient, adminClient, ask, type KubeObject, until } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
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
  'one namespace': { watchNamespace: 'team-a' },
  'one namespace, all of its Secrets': { watchNamespace: 'team-a', secrets: { namespaces: ['team-a'] } },
  'one namespace, Secrets by name': {
    watchNamespace: 'team-a',
    secrets: { named: [{ namespace: 'team-a', secrets: ['rolecall-key'], configMaps: ['queries'] }] },
  },
  'Secrets of some namespaces, others by name': {
    secrets: { namespaces: ['team-a'], named: [{ namespace: 'team-b', configMaps: ['queries'] }] },
  },
  'Secrets of one namespace, named twice': {
    secrets: {
      named: [
        { namespace: 'team-a', secrets: ['rolecall-key'] },
        { namespace: 'team-a', secrets: ['billing-db'], configMaps: ['queries'] },
      ],
    },
  },
  'without metrics and policies': {
    metrics: { enabled: false },
    networkPolicy: { enabled: false },
    podDisruptionBudget: { enabled: false },
  },
  'a policy that lets no one read metrics, and other ports': {
    networkPolicy: { metricsFrom: [], apiServerPorts: [6443], workspacePorts: [8480, 6443] },
  },
  'an account and rights that are there already': {
    serviceAccount: { create: false, name: 'given' },
    rbac: { create: false },
    crds: { install: false },
  },
  'kinds that go with the chart': { crds: { keep: false } },
  "the operator's own identity": {
    identities: [
      { url: 'https://workspace.example.com', namespaces: ['team-a', 'team-b'] },
      { url: 'https://staging.example.com', audience: 'rolecall', namespaces: ['team-a'] },
    ],
    extraVolumes: [{ name: 'authority', configMap: { name: 'authority' } }],
    extraVolumeMounts: [{ name: 'authority', mountPath: '/authority', readOnly: true }],
  },
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
  'named Secrets that are none': [{ secrets: { named: [{ namespace: 'a', secrets: [] }] } }, /secrets/],
  'all Secrets of a namespace that is not followed': [
    { watchNamespace: 'team-a', secrets: { namespaces: ['team-b'] } },
    /the namespace team-b, but watchNamespace is team-a/,
  ],
  'named Secrets of a namespace that is not followed': [
    { watchNamespace: 'team-a', secrets: { named: [{ namespace: 'team-b', secrets: ['rolecall-key'] }] } },
    /the namespace team-b, but watchNamespace is team-a/,
  ],
  'an identity that no one may use': [
    { identities: [{ url: 'https://workspace.example.com', namespaces: [] }] },
    /identities/,
  ],
  'an identity that could be read on the way, or says more than an address': [
    { identities: [{ url: 'http://workspace.example.com', namespaces: ['team-a'] }] },
    /identities/,
  ],
  'no account': [{ serviceAccount: { create: false } }, /serviceAccount.name is needed/],
  'a monitor of nothing': [{ serviceMonitor: { enabled: true }, metrics: { enabled: false } }, /needs metrics.enabled/],
};

describe('the chart for Helm', requires('kubernetes', 'kubectl', 'helm'), () => {
  let server: Apiserver;
  let tools: ClusterTools;
  let admin: AdminClient;
  let helm: string;

  before(async () => {
    helm = find('helm');
    server = await startApiserver();
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

  const argsOf = (objects: Rendered[]): readonly string[] => {
    const deployment = objects.find(({ kind }) => kind === 'Deployment');
    const { containers } = (deployment?.spec?.['template'] as { spec: { containers: { args: string[] }[] } }).spec;
    return containers[0]?.args ?? [];
  };

  it('gives the operator a short-lived token for each identity, for no one that is not named', async () => {
    const { stdout } = await template(combinations["the operator's own identity"] ?? {});
    const given = argsOf(objectsOf(stdout)).filter((arg) => arg.startsWith('--identity='));
    assert.deepEqual(
      readIdentities(given.map((arg) => arg.replace('--identity=', ''))).map((one) => ({ ...one })),
      [
        {
          url: 'https://workspace.example.com',
          tokenFile: '/var/run/secrets/rolecall.dev/0',
          audience: 'https://workspace.example.com',
          namespaces: ['team-a', 'team-b'],
        },
        {
          url: 'https://staging.example.com',
          tokenFile: '/var/run/secrets/rolecall.dev/1',
          audience: 'rolecall',
          namespaces: ['team-a'],
        },
      ],
    );
    assert.match(stdout, /path: "1"\n\s+audience: "rolecall"\n\s+expirationSeconds: 600/);
    const without = await template({});
    assert.doesNotMatch(without.stdout, /--identity|rolecall-identities|serviceAccountToken/);
  });

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

  it('refuses to be installed without its kinds, as from a copy that lost the link to them', async () => {
    const copy = path.join(tools.folder, 'without-kinds');
    await cp(chart, copy, { recursive: true, filter: (source) => path.basename(source) !== 'kinds' });
    const { code, stderr } = await tools.run(helm, ['template', 'rolecall-operator', copy]);
    assert.notEqual(code, 0);
    assert.match(stderr, /lacks its kinds: .* core\.symlinks=true, or set crds\.install=false/);
    const without = await tools.run(helm, ['template', 'rolecall-operator', copy, '--set', 'crds.install=false']);
    assert.equal(without.code, 0, without.stderr);
  });

  it('gives the operator exactly what the list of rules says', async () => {
    const objects = objectsOf((await template({})).stdout);
    const rulesOf = (kind: string, name: string) =>
      objects.find((one) => one.kind === kind && one.metadata.name === name)?.rules;
    assert.deepEqual(rulesOf('ClusterRole', 'rolecall-operator'), objectRules);
    assert.deepEqual(rulesOf('ClusterRole', 'rolecall-operator-data'), dataRules);
    assert.deepEqual(rulesOf('Role', 'rolecall-operator-lease'), leaseRules);
  });

  const key = { namespace: 'team-a', secrets: ['rolecall-key'] };
  for (const [name, secrets] of Object.entries({
    'no Secrets may be read': {},
    'all Secrets may be': { namespaces: ['team-a'] },
    'some may be by name': { named: [key] },
  })) {
    it(`gives rights in the one namespace only that is followed, where ${name}`, async () => {
      const values = { watchNamespace: 'team-a', secrets, crds: { install: false } };
      const rights = objectsOf((await template(values)).stdout).filter(({ kind }) => /Role/.test(kind ?? ''));
      const places = rights.map((one) => `${one.kind ?? ''} in ${one.metadata.namespace ?? 'the cluster'}`);
      assert.deepEqual([...new Set(places)].sort(), ['Role in team-a', 'RoleBinding in team-a']);
    });
  }

  it('lets exactly those Secrets and ConfigMaps be read that are named, be it in several places', async () => {
    const named = [
      key,
      { namespace: 'team-b', configMaps: ['texts'] },
      { ...key, secrets: ['db'], configMaps: ['sql'] },
    ];
    const objects = objectsOf((await template({ secrets: { named } })).stdout);
    const rolesOf = (namespace: string) =>
      objects.filter(({ kind, metadata }) => kind === 'Role' && metadata.namespace === namespace);
    const rule = (resource: string, resourceNames: string[]) => ({
      ...{ apiGroups: [''], resources: [resource], resourceNames, verbs: dataRules[0]?.verbs },
    });
    assert.deepEqual(
      rolesOf('team-a').map(({ rules }) => rules),
      [[rule('secrets', ['rolecall-key', 'db']), rule('configmaps', ['sql'])]],
    );
    assert.deepEqual(
      rolesOf('team-b').map(({ rules }) => rules),
      [[rule('configmaps', ['texts'])]],
    );
  });

  it('takes what the comments of its values show', async () => {
    const [, example = ''] =
      /are named: (\[.*\])$/m.exec(await readFile(path.join(chart, 'values.yaml'), 'utf8')) ?? [];
    const { code, stdout, stderr } = await template({ secrets: { named: parse(example) as object } });
    assert.equal(code, 0, stderr);
    const role = objectsOf(stdout).find(({ kind, metadata }) => kind === 'Role' && metadata.namespace === 'team-a');
    assert.equal(role?.rules?.length, 1);
  });

  it('lets each release that follows one namespace lead by a Lease of that namespace', async () => {
    for (const team of ['team-a', 'team-b']) {
      const objects = objectsOf((await template({ watchNamespace: team })).stdout);
      const rights = objects.filter(({ metadata }) => metadata.name === 'rolecall-operator-lease');
      assert.deepEqual(
        rights.map(({ kind, metadata }) => [kind, metadata.namespace]),
        [
          ['Role', team],
          ['RoleBinding', team],
        ],
      );
      assert.ok(argsOf(objects).includes(`--lease-namespace=${team}`));
    }
    assert.ok(argsOf(objectsOf((await template({})).stdout)).includes(`--lease-namespace=${system}`));
  });

  it('passes on what the values say to the operator', async () => {
    const values = {
      watchNamespace: 'team-a',
      driftInterval: '5m',
      metrics: { port: 9090 },
      extraArgs: ['--format=json'],
    };
    assert.deepEqual(argsOf(objectsOf((await template(values)).stdout)), [
      'operator',
      '--drift-interval=5m',
      '--health-probe-bind-address=:8081',
      '--metrics-bind-address=:9090',
      '--lease-namespace=team-a',
      '--namespace=team-a',
      '--format=json',
    ]);
  });

  it('tells how to let Secrets be read, by a command that does it', async () => {
    const release = async (...more: string[]): Promise<string> => {
      const args = ['upgrade', '--install', 'scoped', chart, '--namespace', system, '--set', 'crds.install=false'];
      const { code, stdout, stderr } = await tools.run(helm, [...args, ...more]);
      assert.equal(code, 0, stderr);
      return stdout;
    };
    const mayRead = async (namespace: string): Promise<string> => {
      const as = `--as=system:serviceaccount:${system}:scoped`;
      return (await tools.run('kubectl', ['auth', 'can-i', 'list', 'secrets', '-n', namespace, as])).stdout.trim();
    };
    const follow = async (command: string): Promise<void> => {
      const { code, stderr } = await tools.run('sh', ['-c', command]);
      assert.equal(code, 0, stderr);
    };
    const commandIn = (notes: string) => /kubectl create rolebinding[^]*?serviceaccount=\S+/.exec(notes)?.[0] ?? '';
    const ofAll = commandIn(await release());
    await follow(ofAll.replace('NAMESPACE', 'team-b'));
    assert.deepEqual([await mayRead('team-b'), await mayRead('team-a')], ['yes', 'no']);
    const ofOne = commandIn(await release('--set', 'watchNamespace=team-a'));
    assert.equal(await mayRead('team-a'), 'no');
    await follow(ofOne);
    assert.equal(await mayRead('team-a'), 'yes');
    await follow('kubectl delete rolebinding scoped-data -n team-a');
    const notes = await release('--set', 'watchNamespace=team-a', '--set', 'secrets.namespaces={team-a}');
    assert.equal(commandIn(notes), '');
    assert.equal(await mayRead('team-a'), 'yes');
    await follow(`${helm} uninstall scoped --namespace ${system}`);
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
    await cp(chart, newer, { recursive: true, dereference: true });
    const file = path.join(newer, 'kinds/rolecall.dev_people.yaml');
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
