/**
 * `npm run cluster`: starts a real kube-apiserver on this machine, with the kinds of Rolecall in it, and prints where its
 * kubeconfig is, or writes it to `--kubeconfig FILE`. It is empty at every start, and gone when it is stopped. With `--build` it
 * is only built, for later.
 */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { adminClient, installKinds, untilExplained } from '../test/support/kubernetes/admin-client.ts';
import { startApiserver } from '../test/support/kubernetes/apiserver.ts';
import { buildApiserver } from '../test/support/kubernetes/programs.ts';

const { values } = parseArgs({
  options: { build: { type: 'boolean', default: false }, kubeconfig: { type: 'string' } },
});
await buildApiserver(say);
if (!values.build) await runCluster();

async function runCluster(): Promise<void> {
  const stopped = new Promise<void>((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
      process.once(signal, () => {
        resolve();
      });
  });
  const apiserver = await startApiserver();
  const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-cluster-'));
  // Without anything that counts as work, the process would end here.
  const awake = setInterval(() => undefined, 60_000);
  try {
    const file = path.resolve(values.kubeconfig ?? path.join(folder, 'kubeconfig'));
    await mkdir(path.dirname(file), { recursive: true });
    await writeFile(file, apiserver.kubeconfig, { mode: 0o600 });
    await using client = adminClient(apiserver);
    await installKinds(client);
    await untilExplained(client);
    say(`A Kubernetes API server listens at ${apiserver.url}, with the kinds of Rolecall in it.`);
    process.stdout.write(`export KUBECONFIG=${file}\n`);
    say('Ctrl-C stops it and removes all that is in it.');
    await stopped;
  } finally {
    clearInterval(awake);
    await rm(folder, { recursive: true, force: true });
    if (values.kubeconfig !== undefined) await rm(values.kubeconfig, { force: true });
    await apiserver.stop();
  }
}

function say(text: string): void {
  process.stderr.write(`${text}\n`);
}
