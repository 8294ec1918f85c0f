import { openProvider } from './plugin/calls/methods.ts';
import type { Methods } from './plugin/grpc/server.ts';
import type { Log } from './plugin/process/log.ts';
import { createProvider } from './provider.ts';
import { version } from './version.ts';

/** Gives what opens the methods of one connection; the code that Terraform's first start of a command does without. */
export function open(env: Readonly<Record<string, string | undefined>>): (log: Log) => Methods {
  const provider = createProvider(env, version);
  return (log) => openProvider(provider, log);
}
