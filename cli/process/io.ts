import type { Readable, Writable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import type { EnvironmentVariable } from '../environment-variables.ts';
import type { Signals } from './signals.ts';

/** The streams, the signals and the environment of a command: those of the process, or with other variables for the demonstration. */
export interface Io {
  readonly stdin: InputStream;
  readonly stdout: OutputStream;
  readonly stderr: OutputStream;
  readonly signals: Signals;
  readonly env: Environment;
}

/** Stream that a command reads; it may be a terminal. */
export type InputStream = Readable & { readonly isTTY?: boolean };

/** Stream that a command writes to; it may be a terminal, so many columns wide. */
export type OutputStream = Writable & { readonly isTTY?: boolean; readonly columns?: number };

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value. An empty variable counts as not set, because pipelines cannot unset variables. */
export function variable(env: Environment, name: EnvironmentVariable): string | undefined {
  return namedVariable(env, name);
}

/** The same for a variable whose name the user has chosen. */
export function namedVariable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/**
 * Keeps errors of standard output from ending the process with a stack in the middle of an apply. A reader that closes the
 * pipe, as in `rolecall plan . | head`, is no error; a full disk is reported at the end.
 *
 * @returns a function to call at the end: the error that lost output, or undefined
 */
export function surviveOutputs({ stdout, stderr }: Io): () => Promise<NodeJS.ErrnoException | undefined> {
  let lost: NodeJS.ErrnoException | undefined;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') lost ??= error;
    });
  }
  return async () => {
    // The error of the last write is emitted after it.
    await setImmediate();
    return lost;
  };
}
