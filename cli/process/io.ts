import { setImmediate } from 'node:timers/promises';

/** The world outside of a command: the process's own, or for the demonstration the same with other variables. */
export interface Io {
  readonly stdin: NodeJS.ReadStream;
  readonly stdout: NodeJS.WriteStream;
  readonly stderr: NodeJS.WriteStream;
  readonly env: Environment;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** A variable's value; what is set to nothing counts as not set, as pipelines cannot unset a variable. */
export function variable(env: Environment, name: string): string | undefined {
  const value = env[name];
  return value === '' ? undefined : value;
}

/**
 * Keeps what goes wrong with standard output from ending the process, with a stack, and in the middle of an apply. A
 * reader that has seen enough, as in `rolecall plan . | head`, is let go; a full disk is told of at the end.
 *
 * @returns asked at the end: why something was not printed, or undefined
 */
export function surviveOutputs({ stdout, stderr }: Io): () => Promise<NodeJS.ErrnoException | undefined> {
  let lost: NodeJS.ErrnoException | undefined;
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') lost ??= error;
    });
  }
  return async () => {
    // What went wrong with the last write is told after it.
    await setImmediate();
    return lost;
  };
}
