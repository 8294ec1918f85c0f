import type { Command } from 'commander';
import { bashCompletion } from './completion/bash.ts';
import { fishCompletion } from './completion/fish.ts';
import { completionTree } from './completion/tree.ts';
import { zshCompletion } from './completion/zsh.ts';
import type { Io } from './io.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export type Shell = keyof typeof scripts;

/** Prints what makes a shell complete the command line. It is all in the script, so that a key press starts no Node. */
export function printCompletion({ stdout }: Io, program: Command, shell: Shell): void {
  stdout.write(scripts[shell](completionTree(program)));
}
