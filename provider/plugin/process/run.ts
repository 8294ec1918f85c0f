import { writeSync } from 'node:fs';
import type { Methods } from '../grpc/server.ts';
import type { Log } from './log.ts';
import { refusal, serve } from './serve.ts';

/** A provider that can be run as a plugin. */
export interface Program {
  /** The provider's name, as in `rolecall`. */
  readonly name: string;
  /** The text for a person who starts the program by hand. */
  readonly usage: string;
  /** The answer to GetProviderSchema, a byte a letter, where it was made beforehand; else empty. */
  readonly schema: string;
  /** Reads the code that opens the provider with an environment. */
  readonly load: () => Promise<(env: NodeJS.ProcessEnv) => (log: Log) => Methods>;
}

/** Runs this process as a plugin of Terraform's. */
export function runPlugin({ name, usage, schema, load }: Program): void {
  const { env, stderr } = process;
  const reason = refusal(env, usage);
  if (reason !== undefined) {
    stderr.write(`${reason}\n`);
    process.exitCode = 1;
    return;
  }
  // The whole process group gets it; Terraform says by StopProvider when to stop.
  process.on('SIGINT', () => undefined);
  const options = {
    name,
    env,
    // A line fits into any pipe; Node's stream for it would take longer to make than to write.
    announce: (line: string) => {
      writeSync(1, `${line}\n`);
    },
    logLine: (line: string) => stderr.write(line),
    exit: (code: number) => process.exit(code),
  };
  const served = {
    load: async () => (await load())(env),
    schema: schema === '' ? undefined : Buffer.from(schema, 'latin1'),
  };
  serve(served, options).catch((error: unknown) => {
    stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  });
}
