#!/usr/bin/env node
import { keepCompiled } from './process/compile-cache.ts';

// Before anything else is loaded: what is compiled once is not compiled, nor its types stripped, at every start.
keepCompiled();

const { surviveOutputs } = await import('./process/io.ts');
const { runCommandLine, tellOfLostOutput } = await import('./program.ts');

const { stdin, stdout, stderr, env } = process;
const io = { stdin, stdout, stderr, env };
const findLost = surviveOutputs(io);
const args = process.argv.slice(2);
const exitCode = await runCommandLine(args, io);
const lost = await findLost();
// Set rather than exited with, so that what is still to be written is written.
process.exitCode = lost === undefined ? exitCode : await tellOfLostOutput(lost, args, io);
