#!/usr/bin/env node
import { keepCompiled } from './process/compile-cache.ts';

// Before any other module is loaded, so that compiled code is taken from the cache at every start.
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
