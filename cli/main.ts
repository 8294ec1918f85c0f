#!/usr/bin/env -S node --max-semi-space-size=8
import { keepCompiled } from './compile-cache.ts';

// The flag above keeps the memory of a large plan down by a fifth and costs no time; V8 takes it at its start only.
// Before anything else is loaded: what is compiled once is not compiled, nor its types stripped, at every start.
keepCompiled();

const { survivePipesThatClose } = await import('./io.ts');
const { runCommandLine } = await import('./program.ts');

const { stdin, stdout, stderr, env } = process;
const io = { stdin, stdout, stderr, env };
survivePipesThatClose(io);
// Set rather than exited with, so that what is still to be written is written.
process.exitCode = await runCommandLine(process.argv.slice(2), io);
