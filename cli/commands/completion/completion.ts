import type { Command } from 'commander';
import type { Context } from '../../command.ts';
import { type ExitCode, exitCodes } from '../../exit-codes.ts';
import { bashCompletion } from './bash.ts';
import { fishCompletion } from './fish.ts';
import { completionTree } from './tree.ts';
import { zshCompletion } from './zsh.ts';

const scripts = { bash: bashCompletion, zsh: zshCompletion, fish: fishCompletion };

export type Shell = keyof typeof scripts;

/** Prints the completion script of a shell. It contains all commands, so that a key press does not start Node. */
export function printCompletion({ io }: Context, shell: Shell, _options: unknown, { parent }: Command): ExitCode {
  if (parent === null) throw new Error('the command completion has no parent');
  io.stdout.write(scripts[shell](completionTree(parent)));
  return exitCodes.ok;
}
