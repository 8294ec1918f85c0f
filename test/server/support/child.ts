import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import { after } from 'node:test';
import type { ServiceOptions } from '@rolecall/server';

export interface ChildService {
  url: string;
  process: ChildProcess;
  /** Sends a signal and waits for the end; gives the exit code, or the signal that ended it. */
  end(signal: NodeJS.Signals): Promise<number | string>;
}

/**
 * Starts the service in a process of its own, which does not outlive the tests of the file.
 *
 * @param graceMs how long it keeps connections without a request once it is told to end
 */
export async function startChildService(options: ServiceOptions, graceMs?: number): Promise<ChildService> {
  const args = [JSON.stringify(options), ...(graceMs === undefined ? [] : [String(graceMs)])];
  const child = fork(path.join(import.meta.dirname, 'serve.ts'), args, {
    execArgv: ['--conditions=source'],
  });
  after(() => child.kill('SIGKILL'));
  const [url] = (await Promise.race([
    once(child, 'message'),
    once(child, 'exit').then(() => {
      throw new Error('the service ended before it listened');
    }),
  ])) as [string];
  return {
    url,
    process: child,
    end: async (signal) => {
      const exited = once(child, 'exit');
      child.kill(signal);
      const [code, ending] = (await exited) as [number | null, NodeJS.Signals | null];
      return code ?? ending ?? 'unknown';
    },
  };
}
