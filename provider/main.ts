#!/usr/bin/env node
import { refusal, serve } from './plugin/serve.ts';
import { createProvider } from './provider.ts';
import { readVersion } from './version.ts';

const reason = refusal(process.env);
if (reason === undefined) {
  // The whole process group gets it; Terraform says by StopProvider when to stop.
  process.on('SIGINT', () => undefined);
  await serve(createProvider(process.env, readVersion()), {
    env: process.env,
    announce: (line) => process.stdout.write(`${line}\n`),
    logLine: (line) => process.stderr.write(line),
    exit: (code) => process.exit(code),
  });
} else {
  process.stderr.write(`${reason}\n`);
  process.exitCode = 1;
}
