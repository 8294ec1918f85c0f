import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import path from 'node:path';
import type { ServiceOptions } from '@rolecall/server';

export interface Killable {
  url: string;
  /** kill -9, and waits until the process is gone. */
  kill: () => Promise<void>;
}

export interface SpareServices {
  /** Starts a service, in a process that has been loading since the one before. */
  start: () => Promise<Killable>;
  /** Kills what is left. */
  close: () => Promise<void>;
}

/** @param options of each service */
export function spareServices(options: ServiceOptions): SpareServices {
  const load = (): ChildProcess =>
    fork(path.join(import.meta.dirname, 'serve-later.ts'), [], {
      execArgv: ['--conditions=source'],
    });
  const kill = async (child: ChildProcess): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const exited = once(child, 'exit');
    child.kill('SIGKILL');
    await exited;
  };
  let spare = load();
  let current: ChildProcess | undefined;
  return {
    start: async () => {
      const child = spare;
      current = child;
      child.send(options);
      const exited = once(child, 'exit').then(() => [{ error: 'it ended' }]);
      const [{ url, error }] = (await Promise.race([once(child, 'message'), exited])) as [Record<string, string>];
      if (url === undefined) throw new Error(`the service did not start again: ${error ?? 'no reason'}`);
      spare = load();
      return { url, kill: () => kill(child) };
    },
    close: async () => {
      await kill(spare);
      if (current !== undefined) await kill(current);
    },
  };
}
