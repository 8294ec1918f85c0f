/**
 * A process that runs one database server for a test process and outlives it just long enough to clean up. Its standard
 * input is a pipe from the test process and carries the job; when it ends, for whatever reason (`stop`, a crash,
 * `kill -9`), the server is stopped and its folder removed. Standard output says how the server fares.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';
import { createInterface } from 'node:readline';

export interface KeeperJob {
  /** Removed at the end, with all that is in it. */
  folder: string;
  setup: Command[];
  server: Command;
  stopSignal: 'SIGQUIT' | 'SIGTERM';
  user: { uid?: number; gid?: number };
}

export interface Command {
  program: string;
  args: string[];
}

const stopTimeout = 10_000;

// Ctrl+C reaches a whole terminal; the test process decides when this one ends.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);

const lines = createInterface({ input: process.stdin });
const ended = once(lines, 'close');
const [line] = (await once(lines, 'line')) as [string];
await keep(JSON.parse(line) as KeeperJob);

async function keep(job: KeeperJob): Promise<void> {
  const log = path.join(job.folder, 'server.log');
  try {
    const server = start(job, log);
    if (server === undefined) return;
    const exit = once(server, 'exit').then(() => {
      report(`exited: ${readFileSync(log, 'utf8').slice(-4000)}`);
    });
    await Promise.race([ended, exit]);
    await stop(server, job.stopSignal, exit);
  } finally {
    rmSync(job.folder, { recursive: true, force: true, maxRetries: 5 });
    process.stdin.destroy();
  }
}

function start(job: KeeperJob, log: string): ChildProcess | undefined {
  const options = { ...job.user, cwd: job.folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
  for (const { program, args } of job.setup) {
    const { status, stderr, stdout, error } = spawnSync(program, args, { ...options, encoding: 'utf8' });
    if (status !== 0) {
      report(`exited: ${program}: ${error?.message ?? `${stdout}${stderr}`.slice(-4000)}`);
      return undefined;
    }
  }
  const output = openSync(log, 'a');
  const server = spawn(job.server.program, job.server.args, { ...options, stdio: ['ignore', output, output] });
  server.on('error', (error) => {
    report(`exited: ${error.message}`);
  });
  closeSync(output);
  report('started');
  return server;
}

async function stop(server: ChildProcess, signal: NodeJS.Signals, exit: Promise<void>): Promise<void> {
  if (server.pid === undefined || server.exitCode !== null || server.signalCode !== null) return;
  server.kill(signal);
  const timer = setTimeout(() => server.kill('SIGKILL'), stopTimeout);
  await exit;
  clearTimeout(timer);
}

/** The test process may be gone, and its end of the pipe with it. */
function report(text: string): void {
  process.stdout.write(`${JSON.stringify(text)}\n`, () => undefined);
}
process.stdout.on('error', () => undefined);
