import assert from 'node:assert/strict';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { dataRules, leaseRules, objectRules } from '../../../operator/rbac/rules.ts';
import { requires } from '../../support/databases/parts.ts';
import type { KubeObject } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { type ClusterTools, clusterTools } from '../support/kubectl.ts';

const deploy = path.resolve(import.meta.dirname, '../../../operator/deploy');
const overlays = ['single', 'high-availability'];

interface Rendered extends KubeObject {
  readonly rules?: readonly object[];
}

describe('the manifests for kustomize', requires('kubernetes', 'kubectl'), () => {
  let server: Apiserver;
  let tools: ClusterTools;

  before(async () => {
    server = await startApiserver();
    tools = await clusterTools(server.kubeconfig);
    await tools.kubectl(['apply', '--server-side', '-f', path.join(deploy, 'base/namespace.yaml')]);
  });
  after(async () => {
    await tools[Symbol.asyncDispose]();
    await server.stop();
  });

  const render = async (folder: string): Promise<{ text: string; objects: Rendered[] }> => {
    const { stdout: text } = await tools.kubectl(['kustomize', path.join(deploy, folder)]);
    return { text, objects: parseAllDocuments(text).map((one) => one.toJS() as Rendered) };
  };

  for (const overlay of overlays) {
    it(`are taken by an API server without a warning, as ${overlay}`, async () => {
      const { text, objects } = await render(`overlays/${overlay}`);
      const flags = ['apply', '--server-side', '--validate=strict', '-f', '-'];
      // The restricted Pod Security Standard of the namespace warns of whatever is not held.
      const dry = await tools.kubectl([...flags, '--dry-run=server'], text);
      assert.equal(dry.stderr, '');
      const real = await tools.kubectl(flags, text);
      assert.equal(real.stderr, '');
      assert.equal(real.stdout.trim().split('\n').length, objects.length);
    });
  }

  it('run one replica without a budget, or two with one', async () => {
    const replicas = ({ objects }: { objects: Rendered[] }) =>
      objects.find(({ kind }) => kind === 'Deployment')?.spec?.['replicas'];
    const budget = ({ objects }: { objects: Rendered[] }) => objects.some(({ kind }) => kind === 'PodDisruptionBudget');
    const [one, two] = await Promise.all(overlays.map((overlay) => render(`overlays/${overlay}`)));
    assert.deepEqual([one && replicas(one), one && budget(one)], [1, false]);
    assert.deepEqual([two && replicas(two), two && budget(two)], [2, true]);
  });

  it('give the operator exactly what the list of rules says, and Secrets in no namespace', async () => {
    const { objects } = await render('overlays/single');
    const rulesOf = (kind: string, name: string) =>
      objects.find((one) => one.kind === kind && one.metadata.name === name)?.rules;
    assert.deepEqual(rulesOf('ClusterRole', 'rolecall-operator'), objectRules);
    assert.deepEqual(rulesOf('ClusterRole', 'rolecall-operator-data'), dataRules);
    assert.deepEqual(rulesOf('Role', 'rolecall-operator'), leaseRules);
    const bound = objects.filter(({ kind }) => kind === 'ClusterRoleBinding' || kind === 'RoleBinding');
    assert.deepEqual(
      bound.map((one) => `${one.kind ?? ''} ${(one as { roleRef?: { name: string } }).roleRef?.name ?? ''}`).sort(),
      ['ClusterRoleBinding rolecall-operator', 'RoleBinding rolecall-operator'],
    );
  });

  it('let a namespace have its Secrets read, by a binding of its own', async () => {
    await tools.kubectl(['create', 'namespace', 'team-a']);
    await tools.kubectl(['apply', '-n', 'team-a', '-k', path.join(deploy, 'tenant')]);
    const mayRead = async (namespace: string) =>
      (
        await tools.run('kubectl', [
          ...['auth', 'can-i', 'list', 'secrets', '-n', namespace],
          '--as=system:serviceaccount:rolecall-system:rolecall-operator',
        ])
      ).stdout.trim();
    assert.equal(await mayRead('team-a'), 'yes');
    assert.equal(await mayRead('default'), 'no');
    assert.equal(await mayRead('rolecall-system'), 'no');
  });

  it('have a ServiceMonitor for clusters that know it', async () => {
    const { writeFile, mkdir } = await import('node:fs/promises');
    const folder = path.join(tools.folder, 'overlay');
    await mkdir(folder);
    const relative = (part: string) => path.relative(folder, path.join(deploy, part));
    const kustomization = {
      resources: [relative('overlays/single')],
      components: [relative('components/service-monitor')],
    };
    await writeFile(path.join(folder, 'kustomization.yaml'), JSON.stringify(kustomization));
    const { stdout } = await tools.kubectl(['kustomize', folder]);
    const objects = parseAllDocuments(stdout).map((one) => one.toJS() as Rendered);
    const monitor = objects.find(({ kind }) => kind === 'ServiceMonitor');
    const service = objects.find(({ kind }) => kind === 'Service') as
      | { metadata: { labels: Record<string, string> }; spec: { ports: { name: string }[] } }
      | undefined;
    const { selector, endpoints } = monitor?.spec as {
      selector: { matchLabels: Record<string, string> };
      endpoints: { port: string }[];
    };
    for (const [name, value] of Object.entries(selector.matchLabels))
      assert.equal(service?.metadata.labels[name], value);
    assert.deepEqual(
      endpoints.map(({ port }) => port),
      service?.spec.ports.map(({ name }) => name),
    );
  });
});
