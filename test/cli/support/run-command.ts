import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import path from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { Io } from '../../../cli/process/io.ts';
import { runCommandLine } from '../../../cli/program.ts';
import { commandLine } from '../../support/command-line.ts';

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
  { env = {}, stdin, cwd = root, stdout: to }: RunOptions = {},
): Started {
  const target = to === undefined ? undefined : openSync(to, 'w');
  const [program, ...start] = commandLine;
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
    prints: (pattern) => awaitText(child.stdout ?? child, 'data', () => stdout, pattern, finished),
  };
}

/** Runs a command to its end, as a process of its own. */
export function runProcess(args: readonly string[], options: RunOptions = {}): Promise<Finished> {
  return startCommand(args, options).finished;
}

/**
 * Runs a command to its end, in the process of the test: a process of its own would take ten times as long. What only a process
 * has, a working folder for one, needs `runProcess`.
 */
export async function runCommand(
  args: readonly string[],
  { env = {}, stdin = '' }: Pick<RunOptions, 'env' | 'stdin'> = {},
): Promise<Finished> {
  const stdout = new CapturedOutput();
  const stderr = new CapturedOutput();
  const input = Readable.from(stdin === '' ? [] : [Buffer.from(stdin)]);
  const code = await runInProcess(args, env, { stdin: input, stdout, stderr });
  return { code, stdout: stdout.text, stderr: stderr.text };
}

export interface Running extends Omit<Started, 'child'> {
  /** Sends the command a signal. A second one ends the process, which is the test's: `startCommand` is for that. */
  readonly signal: (name: 'SIGINT' | 'SIGTERM') => void;
}

/** Starts a command in the process of the test, as `runCommand` does, to be ended by a signal. */
export function startInProcess(args: readonly string[], { env = {} }: Pick<RunOptions, 'env'> = {}): Running {
  const [stdout, stderr, signals] = [new CapturedOutput(), new CapturedOutput(), new EventEmitter()];
  const finished = runInProcess(args, env, { stdin: Readable.from([]), stdout, stderr, signals }).then(
    (code): Finished => ({ code, stdout: stdout.text, stderr: stderr.text }),
  );
  return {
    stdout: () => stdout.text,
    finished,
    prints: (pattern) => awaitText(stdout, 'text', () => stdout.text, pattern, finished),
    signal: (name) => signals.emit(name),
  };
}

/** Runs a command in the process of the test, on streams that stand for those of a process. */
export function runInProcess(
  args: readonly string[],
  env: Readonly<Record<string, string | undefined>>,
  streams: Omit<Io, 'env' | 'signals'> & Partial<Pick<Io, 'signals'>>,
): Promise<number> {
  return runCommandLine(args, { signals: new EventEmitter(), ...streams, env: { ...baseEnvironment, ...env } });
}

/** Resolves with the text once it matches; rejects when the command ends before. */
function awaitText(
  source: NodeJS.EventEmitter,
  event: string,
  text: () => string,
  pattern: RegExp,
  finished: Promise<Finished>,
): Promise<string> {
  return new Promise((resolve, reject) => {
    const check = (): void => {
      if (pattern.test(text())) resolve(text());
    };
    source.on(event, check);
    check();
    finished.then(({ stderr }) => {
      check();
      reject(new Error(`the command ended and never printed ${pattern.source}:\n${text()}\n${stderr}`));
    }, reject);
  });
}

/** An output that keeps what is written, and emits `text` each time. */
export class CapturedOutput extends Writable {
  text = '';

  constructor() {
    super({ decodeStrings: false });
  }

  override _write(chunk: string | Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.text += chunk.toString();
    this.emit('text');
    done();
  }
}
