import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { makeCertificate } from '@rolecall/provider/codec';

/** What Terraform sets for a plugin; see provider/plugin/process/serve.ts. */
const env = {
  TF_PLUGIN_MAGIC_COOKIE: 'd602bf8f470bc67ca7faa0386276bbdd4330efaf76d1a219cb4d6991ca9872b2',
  PLUGIN_PROTOCOL_VERSIONS: '5,6',
};

/** Time from the start of a provider until it reports its address, in milliseconds, with the mutual TLS that Terraform asks for. */
export function timeHandshake(command: readonly string[], more: Record<string, string>): Promise<number> {
  return timeFirstOutput(command, { ...env, ...more, PLUGIN_CLIENT_CERT: makeCertificate().cert });
}

/** Time from the start of a command until its first output, in milliseconds. */
export async function timeFirstOutput(
  [program = '', ...args]: readonly string[],
  more: Record<string, string> = {},
): Promise<number> {
  const started = performance.now();
  const child = spawn(program, args, {
    env: { PATH: process.env['PATH'], ...more },
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  await once(child.stdout, 'data');
  const milliseconds = performance.now() - started;
  child.kill('SIGKILL');
  await once(child, 'close');
  return milliseconds;
}
