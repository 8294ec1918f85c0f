#!/usr/bin/env node
// Before any import: an older Node would only name what it cannot read of the first module.
if (Number.parseInt(process.versions.node, 10) < 24) {
  process.stderr.write(
    `error: rolecall needs Node 24 or newer, and this is ${process.versions.node}. Install a newer one, or take the archive that brings its own.\n`,
  );
  process.exit(1);
}

// Before any other module is loaded, so that compiled code is taken from the cache at every start.
const { keepCompiled } = await import('./process/compile-cache.ts');
keepCompiled();

const { surviveOutputs } = await import('./process/io.ts');
const { runCommandLine, tellOfLostOutput } = await import('./program.ts');

const { stdin, stdout, stderr, env } = process;
const io = { stdin, stdout, stderr, signals: process, env };
const findLost = surviveOutputs(io);
const args = process.argv.slice(2);
const exitCode = await runCommandLine(args, io);
const lost = await findLost();
// Set instead of calling process.exit, so that pending output is written.
process.exitCode = lost === undefined ? exitCode : await tellOfLostOutput(lost, args, io);
