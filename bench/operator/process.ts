import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { bundle } from '../../tools/bundle.ts';

/** An operator that can be started; it is given the file of its job, and answers over the channel of Node's own children. */
export interface Program {
  readonly command: string;
  readonly args: readonly string[];
  /** Variables beside those of this process. */
  readonly env?: Readonly<Record<string, string>>;
}

/** The settings of the operator's process. */
export interface OperatorJob {
  url: string;
  ca: string;
  token: string;
  namespace: string;
  driftMs: number;
}

/** The usage that it reports when asked. */
export interface OperatorStatus {
  /** Requests to the API server that were answered, by method. */
  requests: Record<string, number>;
  cpuSeconds: number;
  peakMiB: number;
}

export interface OperatorProcess {
  readonly status: () => Promise<OperatorStatus>;
  /** @param signal SIGTERM: in order, SIGKILL: not */
  readonly stop: (signal?: 'SIGTERM' | 'SIGKILL') => Promise<void>;
}

/** The part of the manifest that has the variables. */
interface Deployment {
  readonly spec: { readonly template: { readonly spec: { readonly containers: readonly Container[] } } };
}

interface Container {
  readonly env?: readonly { readonly name: string; readonly value: string }[];
}

/**
 * Puts the operator into the files, and gives it the flags and variables, with which it runs in a pod.
 *
 * @param folder where the files are put
 */
export async function bundleOperator(folder: string): Promise<Program> {
  const file = join(folder, 'operator.mjs');
  await bundle({ input: 'bench/children/operator.ts', file, format: 'esm' });
  const root = join(import.meta.dirname, '../..');
  const dockerfile = readFileSync(join(root, 'Dockerfile'), 'utf8');
  const flags = /^ENTRYPOINT .*$/m.exec(dockerfile)?.[0].match(/--[^"]+/g) ?? [];
  const deployment = parse(readFileSync(join(root, 'operator/deploy/base/deployment.yaml'), 'utf8')) as Deployment;
  const variables = deployment.spec.template.spec.containers.flatMap(({ env = [] }) => env);
  const env = Object.fromEntries(variables.map(({ name, value }) => [name, value]));
  return { command: process.execPath, args: [...flags, file], env };
}

/** Starts an operator in a process of its own. */
export function startOperator({ command, args, env }: Program, job: OperatorJob): OperatorProcess {
  const folder = mkdtempSync(join(tmpdir(), 'rolecall-bench-operator-'));
  const file = join(folder, 'job.json');
  writeFileSync(file, JSON.stringify(job), { mode: 0o600 });
  // It writes its log, as in a pod, and no one reads it.
  const child = spawn(command, [...args, file], {
    env: { ...process.env, ...env },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  let isAskedTo = false;
  const exited = once(child, 'exit').then(([code, signal]) => {
    rmSync(folder, { recursive: true, force: true });
    if (isAskedTo) return;
    // A caller that measures it would wait for ever.
    process.stderr.write(`the operator ended by itself: ${String(code ?? signal)}\n`);
    process.exit(1);
  });
  return {
    status: async () => {
      const answer = once(child, 'message');
      child.send('status');
      // It sends nothing else.
      const [status] = (await answer) as [OperatorStatus];
      return status;
    },
    stop: async (signal = 'SIGTERM') => {
      isAskedTo = true;
      child.kill(signal);
      await exited;
    },
  };
}
