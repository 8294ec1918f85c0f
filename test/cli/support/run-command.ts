import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { commandLine, commandLineSources } from '../../support/command-line.ts';

export const root = path.resolve(import.meta.dirname, '../../..');

export interface Finished {
  /** Null when a signal ended it. */
  code: number | null;
  stdout: string;
  stderr: string;
}

export interface Started {
  readonly child: ChildProcess;
  /** All of standard output so far. */
  readonly stdout: () => string;
  readonly finished: Promise<Finished>;
  /** Resolves once standard output matches; rejects when the command ends before. */
  readonly prints: (pattern: RegExp) => Promise<string>;
}

export interface RunOptions {
  env?: Record<string, string | undefined>;
  stdin?: string;
  cwd?: string;
  /** A file or device that standard output goes to, instead of the result. */
  stdout?: string;
  /** Starts the sources, also where a run has bundled them. */
  fromSources?: boolean;
}

/** Nothing of the environment that the tests run in reaches a command, but what Node itself needs. */
const baseEnvironment = {
  PATH: process.env['PATH'],
  HOME: process.env['HOME'],
  TMPDIR: process.env['TMPDIR'],
  // What one command has compiled the next one need not; in a folder that is the repository's own.
  XDG_CACHE_HOME: path.join(root, 'node_modules/.cache'),
};

/** Starts the real command line as a process of its own. */
export function startCommand(
  args: readonly string[],
  { env = {}, stdin, cwd = root, stdout: to, fromSources = false }: RunOptions = {},
): Started {
  const target = to === undefined ? undefined : openSync(to, 'w');
  const [program, ...start] = fromSources ? commandLineSources : commandLine;
  const child = spawn(program, [...start, ...args], {
    cwd,
    env: { ...baseEnvironment, ...env },
    stdio: ['pipe', target ?? 'pipe', 'pipe'],
    // No command of a test takes that long: one that should have ended and did not must not outlive its test.
    timeout: 60_000,
    killSignal: 'SIGKILL',
  });
  if (target !== undefined) closeSync(target);
  let stdout = '';
  let stderr = '';
  child.stdout?.setEncoding('utf8').on('data', (text: string) => {
    stdout += text;
  });
  child.stderr?.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  // On a busy machine a command that reads nothing has ended before this gets to it.
  child.stdin?.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EPIPE') throw error;
  });
  child.stdin?.end(stdin);
  const finished = new Promise<Finished>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      resolve({ code, stdout, stderr });
    });
  });
  return {
    child,
    stdout: () => stdout,
    finished,
    prints: (pattern) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (pattern.test(stdout)) resolve(stdout);
        };
        child.stdout?.on('data', look);
        look();
        void finished.then(() => {
          look();
          reject(new Error(`the command ended and never printed ${pattern.source}:\n${stdout}\n${stderr}`));
        });
      }),
  };
}

/** Runs a command to its end. */
export function runCommand(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return startCommand(args, options).finished;
}
