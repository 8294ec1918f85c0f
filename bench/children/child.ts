import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { resolve } from 'node:path';
import { cpuOf, threadTimeOf } from './usage.ts';

/** The usage that a server in its own process reports. */
export interface ChildStatus {
  /** Resident memory, in bytes. */
  rss: number;
  /** Requests since it started, by method. */
  requests: Record<string, number>;
  /** Delay of the event loop since the last report: the 99th percentile, in milliseconds. */
  eventLoopP99Ms: number;
}

export interface ServerChild {
  url: string;
  /** Processor time since the process started, in milliseconds, as Linux reports it. */
  cpu(): number;
  /** The same in nanoseconds, for short times; without the threads that have ended. */
  cpuNanoseconds(): number;
  status(): Promise<ChildStatus>;
  stop(): Promise<void>;
}

/**
 * Starts a server in a process of its own, so that the load generator does not share its event loop.
 *
 * @param script a file in this folder, or a whole path; it sends its URL once it listens
 * @param env variables beside those of this process
 * @param flags of Node beside those of this process
 */
export async function startChild(
  script: string,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<ServerChild> {
  const child = fork(resolve(import.meta.dirname, script), args, {
    env: { ...process.env, ...env },
    execArgv: [...process.execArgv, ...flags],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  });
  const [url] = (await Promise.race([once(child, 'message'), failure(child, script)])) as [string];
  return {
    url,
    cpu: () => cpuOf(child.pid ?? 0),
    cpuNanoseconds: () => threadTimeOf(child.pid ?? 0),
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
