#!/usr/bin/env node
import { survivePipesThatClose } from './io.ts';
import { runCommandLine } from './program.ts';

const { stdin, stdout, stderr, env } = process;
const io = { stdin, stdout, stderr, env };
survivePipesThatClose(io);
// Set rather than exited with, so that what is still to be written is written.
process.exitCode = await runCommandLine(process.argv.slice(2), io);
