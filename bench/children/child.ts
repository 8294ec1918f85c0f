import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';

/** What a server in a process of its own says of itself when asked. */
export interface ChildStatus {
  /** Resident memory, in bytes. */
  rss: number;
  /** Requests since it started, by method. */
  requests: Record<string, number>;
  /** Delay of the event loop since it was asked before: the 99th percentile, in milliseconds. */
  eventLoopP99Ms: number;
}

export interface ServerChild {
  url: string;
  status(): Promise<ChildStatus>;
  stop(): Promise<void>;
}

/**
 * Starts a server in a process of its own, so that the load generator does not share its event loop.
 *
 * @param script the file in this folder; it sends its URL once it listens
 */
export async function startChild(script: string, args: readonly string[] = []): Promise<ServerChild> {
  const child = fork(join(import.meta.dirname, script), args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] });
  const [url] = (await Promise.race([once(child, 'message'), failure(child, script)])) as [string];
  return {
    url,
    status: async () => {
      child.send('status');
      const [status] = (await once(child, 'message')) as [ChildStatus];
      return status;
    },
    stop: async () => {
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      await exited;
    },
  };
}

async function failure(child: ChildProcess, script: string): Promise<never> {
  const [code] = (await once(child, 'exit')) as [number | null];
  throw new Error(`${script} ended with ${code ?? 'a signal'} before it listened`);
}
