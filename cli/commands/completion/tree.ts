import type { Argument, Command, Option } from 'commander';

/** Values that an option or an argument takes. */
export type Value = { readonly choices: readonly string[] } | 'files' | 'text';

export interface CompletedOption {
  /** `-h` and `--help`, or the long one only. */
  readonly flags: readonly string[];
  readonly description: string;
  /** Undefined for a switch. */
  readonly value: Value | undefined;
}

/** A command as a shell completes it. */
export interface CompletedCommand {
  /** `keys create`; empty for the program itself. */
  readonly path: string;
  readonly name: string;
  readonly summary: string;
  readonly options: readonly CompletedOption[];
  readonly commands: readonly CompletedCommand[];
  readonly takesFiles: boolean;
}

/** Describes a command line for completion, as commander knows it. */
export function completionTree(command: Command, path = ''): CompletedCommand {
  const help = command.createHelp();
  return {
    path,
    name: command.name(),
    summary: command.summary(),
    options: help.visibleOptions(command).map(toOption),
    commands: help
      .visibleCommands(command)
      // The command `help` takes the names of commands, which `--help` does as well.
      .filter((child) => child.name() !== 'help')
      .map((child) => completionTree(child, path === '' ? child.name() : `${path} ${child.name()}`)),
    takesFiles: command.registeredArguments.some(isFile),
  };
}

/** Every command of a tree, those that are above others first. */
export function allCommands(tree: CompletedCommand): CompletedCommand[] {
  return [tree, ...tree.commands.flatMap(allCommands)];
}

function toOption(option: Option): CompletedOption {
  const { short, long, description, required, optional, argChoices, flags } = option;
  const names = [short, long].filter((name) => name !== undefined);
  return { flags: names, description, value: required || optional ? valueOf(flags, argChoices) : undefined };
}

function valueOf(flags: string, choices: readonly string[] | undefined): Value {
  if (choices !== undefined) return { choices };
  return /[<[](file|dir|folder)\b/.test(flags) ? 'files' : 'text';
}

function isFile(argument: Argument): boolean {
  return /^(path|file|folder|plan)$/.test(argument.name());
}
