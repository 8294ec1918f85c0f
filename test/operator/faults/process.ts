import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandLine } from '../../support/command-line.ts';
import type { Cluster } from '../support/installation.ts';
import type { Start } from './kill.ts';

/**
 * Starts `rolecall operator` as its users do, in a process of its own; what ends it is `kill -9`.
 *
 * Without the Lease: the next one after a kill waits until it has run out, which other tests do.
 */
export const inProcessOfItsOwn: Start = (all, namespace) => startProcess(all, namespace, ['--no-leader-election']);

/** The same, leading by the Lease `rolecall-operator` of the namespace. */
export const inProcessThatLeads: Start = (all, namespace) => startProcess(all, namespace, []);

async function startProcess({ server, proxy, account }: Cluster, namespace: string, flags: readonly string[]) {
  const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-kill-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfigAt(proxy.url, account.token), { mode: 0o600 });
  const args = ['operator', '--kubeconfig', kubeconfig, '--namespace', namespace, ...flags];
  const [program, ...start] = commandLine;
  const child = spawn(program, [...start, ...args, '--drift-interval=1h'], { stdio: 'ignore' });
  const exited = once(child, 'exit');
  return async () => {
    child.kill('SIGKILL');
    const [code, signal] = (await exited) as [number | null, string | null];
    await rm(folder, { recursive: true });
    if (signal !== 'SIGKILL') throw new Error(`the operator ended by itself, with ${code}`);
  };
}
