/** What the demonstration plays on: a Kubernetes API server, a workspace service, and the operator as a process of its own. */

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { type Client, createClient } from '@rolecall/api';
import { createKey, startService } from '@rolecall/server';
import { makeServiceAccount } from '../../test/operator/support/service-account.ts';
import { type AdminClient, adminClient, ask, installKinds } from '../../test/support/kubernetes/admin-client.ts';
import { startApiserver } from '../../test/support/kubernetes/apiserver.ts';
import { buildApiserver } from '../../test/support/kubernetes/programs.ts';

export const namespace = 'team-a';

export interface Stage extends AsyncDisposable {
  /** The API server, as its administrator. */
  readonly kube: AdminClient;
  /** The workspace, for whoever looks at it past Kubernetes. */
  readonly workspace: Client;
  readonly url: string;
  /** Fails when the operator ends although nobody ended it. */
  readonly operator: Promise<never>;
}

/** @param say told what takes long */
export async function setStage(say: (text: string) => void): Promise<Stage> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-demo-operator-'));
  const closing = new AsyncDisposableStack();
  closing.defer(() => rm(folder, { recursive: true, force: true }));
  try {
    await buildApiserver(say);
    const server = await startApiserver();
    closing.defer(server.stop);
    const dataDir = path.join(folder, 'workspace');
    const service = await startService({ dataDir, environment: {}, logger: false });
    closing.defer(() => service.close());
    const key = await createKey({ dataDir, environment: {}, scope: 'admin' });
    const workspace = createClient({ url: service.url, keyId: key.id, keySecret: key.secret });
    closing.defer(() => workspace.close());
    const kube = closing.use(adminClient(server));
    await installKinds(kube);
    const account = await makeServiceAccount(kube);
    await ask(kube, 'POST', '/api/v1/namespaces', { metadata: { name: namespace } });
    await account.admit(namespace);
    const secrets = {
      'rolecall-key': { id: key.id, secret: key.secret },
      'billing-db': { password: 'a first password' },
      'shipping-db': { password: 'another password' },
    };
    for (const [name, stringData] of Object.entries(secrets))
      await ask(kube, 'POST', `/api/v1/namespaces/${namespace}/secrets`, { metadata: { name }, stringData });
    const kubeconfig = path.join(folder, 'kubeconfig');
    await writeFile(kubeconfig, server.kubeconfigAt(server.url, account.token), { mode: 0o600 });
    const operator = startOperator(kubeconfig);
    closing.defer(operator.stop);
    return {
      kube,
      workspace,
      url: service.url,
      operator: operator.failed,
      [Symbol.asyncDispose]: () => closing.disposeAsync(),
    };
  } catch (error) {
    await closing.disposeAsync();
    throw error;
  }
}

function startOperator(kubeconfig: string) {
  const main = path.resolve(import.meta.dirname, '../../cli/main.ts');
  const flags = ['operator', '--kubeconfig', kubeconfig, '--lease-namespace', namespace, '--drift-interval', '2s'];
  const child: ChildProcess = spawn(process.execPath, ['--conditions=source', main, ...flags], {
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  let said = '';
  child.stderr?.on('data', (chunk: Buffer) => {
    said = `${said}${chunk.toString()}`.slice(-4000);
  });
  let isStopped = false;
  const ended = once(child, 'exit');
  const failed = ended.then(([code]) => {
    if (isStopped) return new Promise<never>(() => undefined);
    throw new Error(`the operator ended with ${String(code)}:\n${said}`);
  });
  // Whoever waits for something else in the story is told by it; nobody need be.
  failed.catch(() => undefined);
  return {
    failed,
    stop: async () => {
      isStopped = true;
      child.kill('SIGTERM');
      await ended;
    },
  };
}
