import { writeSync } from 'node:fs';
import { schema } from '../../encoded-schema.ts';
import type { open } from '../../open.ts';
import { refusal, serve } from './serve.ts';

/**
 * Runs this process as a plugin of Terraform's; a person who starts it is told what it is.
 *
 * @param load gives what opens the provider
 */
export function runPlugin(load: () => Promise<typeof open>): void {
  const { env, stderr } = process;
  const reason = refusal(env);
  if (reason !== undefined) {
    stderr.write(`${reason}\n`);
    process.exitCode = 1;
    return;
  }
  // The whole process group gets it; Terraform says by StopProvider when to stop.
  process.on('SIGINT', () => undefined);
  const options = {
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
