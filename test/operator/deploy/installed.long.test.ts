import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { dataRules } from '../../../operator/rbac/rules.ts';
import { valueOf } from '../../server/support/metrics.ts';
import { commandLine } from '../../support/command-line.ts';
import { requires } from '../../support/databases/parts.ts';
import { type AdminClient, adminClient, ask, type KubeObject, until } from '../../support/kubernetes/admin-client.ts';
import { type Apiserver, startApiserver } from '../../support/kubernetes/apiserver.ts';
import { readAudit } from '../support/audit.ts';
import { readyOf } from '../support/installation.ts';
import { type ClusterTools, clusterTools } from '../support/kubectl.ts';
import { startWorkspace, type TestWorkspace } from '../support/workspace.ts';

const root = path.resolve(import.meta.dirname, '../../..');
const deploy = path.join(root, 'operator/deploy');
const system = 'rolecall-system';
const username = `system:serviceaccount:${system}:rolecall-operator`;

describe('the operator as it is installed', requires('kubernetes', 'kubectl'), () => {
  let server: Apiserver;
  let tools: ClusterTools;
  let admin: AdminClient;
  let workspace: TestWorkspace;
  let operator: ChildProcess;
  let addresses: { readonly metricsUrl: string; readonly probesUrl: string };

  before(async () => {
    [server, workspace] = await Promise.all([startApiserver({ audit: true }), startWorkspace()]);
    tools = await clusterTools(server.kubeconfig);
    admin = adminClient(server);
    await tools.kubectl(['apply', '--server-side', '-k', path.join(deploy, 'overlays/high-availability')]);
  });
  after(async () => {
    operator.kill('SIGKILL');
    await admin[Symbol.asyncDispose]();
    await tools[Symbol.asyncDispose]();
    await workspace.stop();
    await server.stop();
  });

  /** As the container is started: with the arguments of the Deployment, but for ports that are free. */
  async function start(): Promise<void> {
    const deployment = await ask(admin, 'GET', `/apis/apps/v1/namespaces/${system}/deployments/rolecall-operator`);
    const { containers } = (deployment.spec?.['template'] as { spec: { containers: { args: string[] }[] } }).spec;
    const args = (containers[0]?.args ?? []).map((one) => one.replace(/=:\d+$/, '=127.0.0.1:0'));
    const { stdout: token } = await tools.kubectl(['create', 'token', 'rolecall-operator', '-n', system]);
    const file = path.join(tools.folder, 'operator');
    await writeFile(file, server.kubeconfigAt(server.url, token.trim()), { mode: 0o600 });
    const [program, ...start] = commandLine;
    // A pod finds its namespace beside its token.
    operator = spawn(program, [...start, ...args, '--format=json', `--lease-namespace=${system}`], {
      env: { ...process.env, KUBECONFIG: file },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    addresses = await firstDocument(operator);
  }

  async function team(name: string): Promise<(kind: string, called: string) => Promise<KubeObject>> {
    const base = `/apis/rolecall.dev/v1alpha1/namespaces/${name}`;
    await ask(admin, 'POST', '/api/v1/namespaces', { metadata: { name } });
    const { id, secret } = workspace.key;
    const data = { metadata: { name: 'rolecall-key' }, stringData: { id, secret } };
    await ask(admin, 'POST', `/api/v1/namespaces/${name}/secrets`, data);
    const object = (kind: string, spec: object) => ({
      apiVersion: 'rolecall.dev/v1alpha1',
      kind,
      metadata: { name: kind === 'Workspace' ? 'workspace' : name },
      spec,
    });
    const credentialsFrom = { secretKeyRef: { name: 'rolecall-key' } };
    await ask(admin, 'POST', `${base}/workspaces`, object('Workspace', { url: workspace.proxy.url, credentialsFrom }));
    const spec = { username: name, name: `Of ${name}`, email: `${name}@example.com` };
    await ask(admin, 'POST', `${base}/people`, object('Person', spec));
    return (plural, called) => ask(admin, 'GET', `${base}/${plural}/${called}`);
  }

  const reasonIn = async (get: Awaited<ReturnType<typeof team>>, plural: string, name: string, reason: string) => {
    await until(async () => readyOf(await get(plural, name))?.reason === reason, `${name} with ${reason}`);
    return readyOf(await get(plural, name))?.message ?? '';
  };

  it('is ready, leads, and looks after a namespace that lets its Secrets be read', async () => {
    await start();
    const probe = async (page: string) => (await fetch(`${addresses.probesUrl}/${page}`)).status;
    await until(async () => (await probe('readyz')) === 200, 'readiness');
    assert.equal(await probe('healthz'), 200);
    const get = await team('bound');
    await tools.kubectl(['apply', '-n', 'bound', '-k', path.join(deploy, 'tenant')]);
    await reasonIn(get, 'people', 'bound', 'Converged');
    const page = await (await fetch(addresses.metricsUrl)).text();
    assert.equal(valueOf(page, 'leader_election_master_status{name="rolecall-operator"}'), 1);
    assert.equal(valueOf(page, 'rolecall_objects{kind="Person",ready="True"}'), 1);
  });

  it('says what is missing where nothing may be read, and goes on once a single Secret may be', async () => {
    const get = await team('named');
    const message = await reasonIn(get, 'workspaces', 'workspace', 'SecretNotFound');
    assert.match(message, /rolecall-key cannot be read: .*forbidden/);
    const rbac = '/apis/rbac.authorization.k8s.io/v1/namespaces/named';
    const rules = dataRules.map((rule) => ({ ...rule, resources: ['secrets'], resourceNames: ['rolecall-key'] }));
    await ask(admin, 'POST', `${rbac}/roles`, { metadata: { name: 'named' }, rules });
    await ask(admin, 'POST', `${rbac}/rolebindings`, {
      metadata: { name: 'named' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'named' },
      subjects: [{ kind: 'ServiceAccount', name: 'rolecall-operator', namespace: system }],
    });
    await reasonIn(get, 'people', 'named', 'Converged');
  });

  it('ends in order at SIGTERM, gives its Lease back, and was refused nothing else', async () => {
    operator.kill('SIGTERM');
    const [code] = (await once(operator, 'exit')) as [number | null];
    assert.equal(code, 0);
    const leases = `/apis/coordination.k8s.io/v1/namespaces/${system}/leases`;
    const lease = await ask(admin, 'GET', `${leases}/rolecall-operator`);
    assert.equal(lease.spec?.['holderIdentity'] ?? '', '');
    const refused = (await readAudit(server.auditLog ?? '', username)).filter(
      (one) => one.responseStatus?.code === 403,
    );
    const others = refused.filter(({ objectRef }) => objectRef?.resource !== 'secrets');
    assert.deepEqual(
      others.map(({ verb, requestURI }) => `${verb} ${requestURI}`),
      [],
    );
    for (const { objectRef } of refused) assert.match(objectRef?.namespace ?? '', /^(named|bound)$/);
  });
});

/** What the command writes once it has begun, over several lines. */
async function firstDocument({ stdout }: ChildProcess) {
  assert.ok(stdout !== null);
  let text = '';
  for await (const chunk of stdout.setEncoding('utf8').iterator({ destroyOnReturn: false })) {
    text += String(chunk);
    if (text.trimEnd().endsWith('\n}')) break;
  }
  return JSON.parse(text) as { readonly metricsUrl: string; readonly probesUrl: string };
}
