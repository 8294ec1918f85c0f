import type { createProvider } from '../provider.ts';
import { version } from '../version.ts';
import { refusal, serve } from './serve.ts';

/**
 * Runs this process as a plugin of Terraform's; a person who starts it is told what it is.
 *
 * @param load gives what makes the provider
 */
export function runPlugin(load: () => Promise<typeof createProvider>): void {
  const { env, stdout, stderr } = process;
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
    announce: (line: string) => stdout.write(`${line}\n`),
    logLine: (line: string) => stderr.write(line),
    exit: (code: number) => process.exit(code),
  };
  serve(async () => (await load())(env, version), options).catch((error: unknown) => {
    stderr.write(`${error instanceof Error ? (error.stack ?? error.message) : String(error)}\n`);
    process.exitCode = 1;
  });
}
