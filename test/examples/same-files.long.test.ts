import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { after, before, describe, it } from 'node:test';
import { kindNames, kinds } from '@rolecall/crds';
import { runCommand } from '../cli/support/run-command.ts';
import { type Cluster, type Operating, readyOf, startCluster } from '../operator/support/installation.ts';
import { type ClusterTools, clusterTools } from '../operator/support/kubectl.ts';
import { startWorkspace, type TestWorkspace } from '../operator/support/workspace.ts';
import { requires } from '../support/databases/parts.ts';
import { ask, type KubeObject, until } from '../support/kubernetes/admin-client.ts';

const examples = path.resolve(import.meta.dirname, '../../examples');

/** Where a cluster has what a laptop has in its environment and beside the files; nothing else is changed. */
const inCluster: Readonly<Record<string, readonly (readonly [RegExp, string])[]>> = {
  'kubernetes/access': [],
  acme: [
    [/env: ACME_(\w+)_PASSWORD/g, 'secretKeyRef: { name: passwords, key: $1 }'],
    [/file: ([\w-]+\.sql)/g, 'configMapKeyRef: { name: texts, key: $1 }'],
  ],
  starter: [],
};

const passwords = {
  ACME_BILLING_PASSWORD: 'first',
  ACME_SHIPPING_PASSWORD: 'second',
  ROLECALL_SECRET_BILLING_DB_PASSWORD: 'third',
  ROLECALL_SECRET_SHIPPING_DB_PASSWORD: 'fourth',
};
const secrets = {
  passwords: { BILLING: 'first', SHIPPING: 'second' },
  'billing-db': { password: 'third' },
  'shipping-db': { password: 'fourth' },
};

describe('the files of the examples', requires('kubernetes', 'kubectl'), () => {
  let all: Cluster;
  let tools: ClusterTools;
  let operator: Operating;
  let folder: string;

  before(async () => {
    all = await startCluster();
    tools = await clusterTools(all.server.kubeconfig);
    folder = await mkdtemp(path.join(tmpdir(), 'rolecall-examples-'));
    operator = await all.operate();
  });
  after(async () => {
    await operator.stop();
    await tools[Symbol.asyncDispose]();
    await rm(folder, { recursive: true });
    await all.stop();
  });

  /** Makes a namespace with what the definitions refer to, and gives kubectl the files. */
  async function applyInCluster(name: string, workspace: TestWorkspace): Promise<string> {
    const namespace = name.replace('/', '-');
    const { id, secret } = workspace.key;
    await ask(all.kube, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await all.account.admit(namespace);
    for (const [called, stringData] of Object.entries({ ...secrets, 'rolecall-key': { id, secret } }))
      await ask(all.kube, 'POST', `/api/v1/namespaces/${namespace}/secrets`, {
        metadata: { name: called },
        stringData,
      });
    const copy = path.join(folder, namespace);
    await cp(path.join(examples, name), copy, { recursive: true });
    const texts: Record<string, string> = {};
    for (const file of await readdir(copy, { recursive: true })) {
      const place = path.join(copy, file);
      if (file.endsWith('.sql')) texts[path.basename(file)] = await readFile(place, 'utf8');
      if (!file.endsWith('.yaml')) continue;
      let text = await readFile(place, 'utf8');
      for (const [from, to] of inCluster[name] ?? []) text = text.replace(from, to);
      await writeFile(place, text);
    }
    await ask(all.kube, 'POST', `/api/v1/namespaces/${namespace}/configmaps`, {
      metadata: { name: 'texts' },
      data: texts,
    });
    await tools.kubectl(['apply', '-n', namespace, '--recursive', '--validate=strict', '-f', copy]);
    const spec = { url: workspace.proxy.url, credentialsFrom: { secretKeyRef: { name: 'rolecall-key' } } };
    const [found = ''] = (await tools.kubectl(['get', 'workspaces', '-n', namespace, '-o', 'name'])).stdout.split('\n');
    await tools.kubectl(['patch', '-n', namespace, found, '--type=merge', '-p', JSON.stringify({ spec })]);
    return namespace;
  }

  async function objectsOf(namespace: string): Promise<KubeObject[]> {
    const lists = await Promise.all(
      kindNames.map((kind) =>
        ask<{ items: KubeObject[] }>(
          all.kube,
          'GET',
          `/apis/rolecall.dev/v1alpha1/namespaces/${namespace}/${kinds[kind].plural}`,
        ),
      ),
    );
    return lists.flatMap(({ items }) => items);
  }

  const run = (command: readonly string[], { key, proxy }: TestWorkspace) =>
    runCommand([...command, '--url', proxy.url], {
      env: { ...passwords, ROLECALL_KEY_ID: key.id, ROLECALL_KEY_SECRET: key.secret },
    });

  for (const name of Object.keys(inCluster)) {
    it(`lead to the same workspace by kubectl and by the command line: ${name}`, async () => {
      const [here, there] = await Promise.all([startWorkspace(), startWorkspace()]);
      try {
        const definitions = path.join(examples, name);
        const namespace = await applyInCluster(name, there);
        const applied = await run(['apply', definitions, '--yes'], here);
        assert.equal(applied.code, 0, applied.stderr + applied.stdout);
        await until(async () => {
          const objects = await objectsOf(namespace);
          return objects.every((object) => readyOf(object)?.status === 'True');
        }, `every object of ${name}`).catch(async (error: unknown) => {
          const waiting = (await objectsOf(namespace)).filter((object) => readyOf(object)?.status !== 'True');
          throw new Error(JSON.stringify(waiting.map((one) => [one.metadata.name, readyOf(one)])), { cause: error });
        });
        // Passwords are compared as well.
        for (const workspace of [here, there]) {
          const plan = await run(['plan', definitions, '--detailed-exitcode'], workspace);
          assert.equal(plan.code, 0, plan.stdout + plan.stderr);
        }
        assert.deepEqual(await sizesOf(there), await sizesOf(here));
      } finally {
        await Promise.all([here.stop(), there.stop()]);
      }
    });
  }
});

/** What is in a workspace besides what a plan compares: nothing undeclared. */
async function sizesOf({ client }: TestWorkspace): Promise<number[]> {
  const lists = await Promise.all([
    client.call('listPeople', {}),
    client.call('listDataSources', {}),
    client.call('listRoles', {}),
    client.call('listPermissions', {}),
    client.call('listSnippets', {}),
  ]);
  return lists.map((list) => list.length);
}
