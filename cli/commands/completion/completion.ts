import type { Command } from 'commander';
import type { Io } from '../../process/io.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completionTree } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export type Shell = keyof typeof scripts;

/** Prints what makes a shell complete the command line. It is all in the script, so that a key press starts no Node. */
export function printCompletion({ stdout }: Io, program: Command, shell: Shell): void {
  stdout.write(scripts[shell](completionTree(program)));
}
