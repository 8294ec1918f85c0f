import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClusterTools, clusterTools } from '../operator/support/kubectl.ts';
import { requires } from '../support/databases/parts.ts';
import { type Apiserver, startApiserver } from '../support/kubernetes/apiserver.ts';
import { readFromModule } from '../support/kubernetes/go-module.ts';

const folder = path.resolve(import.meta.dirname, '../../examples/kubernetes');
const flux = 'config/crd/bases';

/** What the manifests are for, in the versions that they are checked against. */
const kinds = [
  ['github.com/argoproj/argo-cd/v3@v3.2.0', 'manifests/crds/application-crd.yaml'],
  ['github.com/fluxcd/kustomize-controller@v1.10.1', `${flux}/kustomize.toolkit.fluxcd.io_kustomizations.yaml`],
  ['github.com/fluxcd/source-controller@v1.10.1', `${flux}/source.toolkit.fluxcd.io_gitrepositories.yaml`],
  [
    'github.com/prometheus-operator/prometheus-operator@v0.85.0',
    'example/prometheus-operator-crd/monitoring.coreos.com_servicemonitors.yaml',
  ],
] as const;

describe('the manifests for Argo CD, Flux and the Prometheus operator', requires('kubernetes', 'kubectl', 'go'), () => {
  let server: Apiserver;
  let tools: ClusterTools;

  before(async () => {
    server = await startApiserver();
    tools = await clusterTools(server.kubeconfig);
    for (const [module, file] of kinds)
      await tools.kubectl(['apply', '--server-side', '-f', '-'], await readFromModule(module, file));
    for (const name of ['argocd', 'team-a', 'rolecall-system']) await tools.kubectl(['create', 'namespace', name]);
  });
  after(async () => {
    await tools[Symbol.asyncDispose]();
    await server.stop();
  });

  const files = [
    path.join(folder, 'argocd/application.yaml'),
    path.join(folder, 'flux/git-repository.yaml'),
    path.join(folder, 'flux/kustomization.yaml'),
    path.join(folder, '../../operator/deploy/components/service-monitor/service-monitor.yaml'),
    path.join(folder, '../../operator/deploy/argocd/argocd-cm.yaml'),
  ];
  for (const file of files) {
    it(`are what their kinds take: ${path.basename(path.dirname(file))}/${path.basename(file)}`, async () => {
      const text = await readFile(file, 'utf8');
      const apply = ['apply', '--server-side', '--validate=strict', '-f', '-'];
      const { stderr } = await tools.kubectl(apply, text);
      assert.equal(stderr, '');
    });
  }
});
