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
import { setTimeout as sleep } from 'node:timers/promises';

export interface KeeperJob {
  /** Removed at the end, with all that is in it. */
  folder: string;
  setup: Command[];
  server: Command;
  stopSignal: 'SIGQUIT' | 'SIGTERM' | 'SIGKILL';
  /** Start the server again whenever it ends before it is told to. */
  restarts?: boolean;
  user: { uid?: number; gid?: number };
}

export interface Command {
  program: string;
  args: string[];
}

const stopTimeout = 10_000;
const restartPause = 300;

// Ctrl+C reaches a whole terminal; the test process decides when this one ends.
for (const signal of ['SIGINT', 'SIGHUP', 'SIGTERM'] as const) process.on(signal, () => undefined);

const lines = createInterface({ input: process.stdin });
const ended = once(lines, 'close');
const [line] = (await once(lines, 'line')) as [string];
await keep(JSON.parse(line) as KeeperJob);

async function keep(job: KeeperJob): Promise<void> {
  const log = path.join(job.folder, 'server.log');
  try {
    if (!setUp(job)) return;
    for (;;) {
      const server = start(job, log);
      const exit = once(server, 'exit').then(([code, signal]: unknown[]) => {
        if (job.restarts !== true)
          report(`exited (${String(signal ?? code)}): ${readFileSync(log, 'utf8').slice(-4000)}`);
      });
      const told = await Promise.race([ended.then(() => true), exit.then(() => false)]);
      if (told || job.restarts !== true) {
        await stop(server, job.stopSignal, exit);
        return;
      }
      // Until what is left of the one before has ended too, the next one does not start.
      await sleep(restartPause);
    }
  } finally {
    rmSync(job.folder, { recursive: true, force: true, maxRetries: 5 });
    process.stdin.destroy();
  }
}

function optionsOf(job: KeeperJob) {
  return { ...job.user, cwd: job.folder, env: { PATH: process.env['PATH'], LC_ALL: 'C' } };
}

function setUp(job: KeeperJob): boolean {
  for (const { program, args } of job.setup) {
    const { status, stderr, stdout, error } = spawnSync(program, args, { ...optionsOf(job), encoding: 'utf8' });
    if (status !== 0) {
      report(`exited: ${program}: ${error?.message ?? `${stdout}${stderr}`.slice(-4000)}`);
      return false;
    }
  }
  return true;
}

function start(job: KeeperJob, log: string): ChildProcess {
  const output = openSync(log, 'a');
  const server = spawn(job.server.program, job.server.args, { ...optionsOf(job), stdio: ['ignore', output, output] });
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
