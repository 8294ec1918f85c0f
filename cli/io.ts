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
 * Lets a reader that has seen enough go, as in `rolecall plan . | head`. Without this the broken pipe would end the
 * process, with a stack, and in the middle of an apply.
 */
export function survivePipesThatClose({ stdout, stderr }: Io): void {
  for (const stream of [stdout, stderr]) {
    stream.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code !== 'EPIPE') throw error;
    });
  }
}
