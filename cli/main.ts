#!/usr/bin/env node
import { keepCompiled } from './compile-cache.ts';

// Before anything else is loaded: what is compiled once is not compiled, nor its types stripped, at every start.
keepCompiled();

const { survivePipesThatClose } = await import('./io.ts');
const { runCommandLine } = await import('./program.ts');

const { stdin, stdout, stderr, env } = process;
const io = { stdin, stdout, stderr, env };
survivePipesThatClose(io);
// Set rather than exited with, so that what is still to be written is written.
process.exitCode = await runCommandLine(process.argv.slice(2), io);
