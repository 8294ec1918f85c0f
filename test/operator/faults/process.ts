import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { commandLine } from '../../support/command-line.ts';
import type { Cluster } from '../support/installation.ts';
import type { Start } from './kill.ts';

/** A process of `rolecall operator`, as its users start it. */
export interface OperatorProcess {
  /** Ends it: by `kill -9`, or in order. @throws where it ended otherwise */
  readonly end: (how: 'SIGKILL' | 'SIGTERM') => Promise<void>;
  /** The last that it said. */
  readonly log: () => string;
}

/**
 * Starts `rolecall operator` as its users do, in a process of its own; what ends it is `kill -9`.
 *
 * Without the Lease: the next one after a kill waits until it has run out, which other tests do.
 */
export const inProcessOfItsOwn: Start = (all, namespace) => startKilled(all, namespace, ['--no-leader-election']);

/** The same, leading by the Lease `rolecall-operator` of the namespace. */
export const inProcessThatLeads: Start = (all, namespace) => startKilled(all, namespace, []);

async function startKilled(all: Cluster, namespace: string, flags: readonly string[]) {
  const { end } = await startProcess(all, namespace, flags);
  return () => end('SIGKILL');
}

const longestLog = 20_000;

/** Starts `rolecall operator` in a process of its own. */
export async function startProcess(
  { server, proxy, account }: Cluster,
  namespace: string,
  flags: readonly string[],
): Promise<OperatorProcess> {
  const folder = await mkdtemp(path.join(tmpdir(), 'rolecall-kill-'));
  const kubeconfig = path.join(folder, 'kubeconfig');
  await writeFile(kubeconfig, server.kubeconfigAt(proxy.url, account.token), { mode: 0o600 });
  const args = ['operator', '--kubeconfig', kubeconfig, '--namespace', namespace, '--drift-interval=1h', ...flags];
  const [program, ...start] = commandLine;
  const child = spawn(program, [...start, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      log = `${log}${text}`.slice(-longestLog);
    });
  const exited = once(child, 'exit');
  return {
    log: () => log,
    async end(how) {
      child.kill(how);
      const [code, signal] = (await exited) as [number | null, string | null];
      await rm(folder, { recursive: true, force: true });
      // Until it listens to signals, they end it at once.
      if (code !== 0 && signal !== how)
        throw new Error(`the operator ended with ${code ?? signal ?? ''} after ${how}:\n${log}`);
    },
  };
}
