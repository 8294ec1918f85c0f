import { type Command, type CommandOptions, Option } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Format, Output } from './output/output.ts';
import type { Io } from './process/io.ts';
import type { Connection } from './workspace/connection.ts';

/** Input of a command's action in addition to its arguments and options. */
export interface Context {
  readonly io: Io;
  readonly output: Output;
  /** The workspace that the command calls, once it calls one: errors name its settings. */
  connection?: Connection;
}

type Action = (context: Context, ...args: never) => ExitCode | Promise<ExitCode>;
type ArgumentsOf<A extends Action> = A extends (context: Context, ...args: infer Rest) => unknown ? Rest : never;

/**
 * An action whose module is loaded when the command runs, so that help and other commands start without it.
 *
 * @param name of the function in the module
 */
export function lazily<Name extends string, Module extends Readonly<Record<Name, Action>>>(
  load: () => Promise<Module>,
  name: Name,
): (context: Context, ...args: ArgumentsOf<Module[Name]>) => Promise<ExitCode> {
  return async (context, ...args) => {
    const action: Action = (await load())[name];
    // The arguments are those of this very function, which the compiler does not follow through its name.
    return action(context, ...(args as never));
  };
}

/** The options of every command. */
export interface CommonOptions {
  format: Format;
  debug?: true;
}

/** Turns a function that returns the exit code into a commander action. */
export type Run = <A extends unknown[]>(
  action: (context: Context, ...args: A) => Promise<ExitCode>,
) => (...args: A) => Promise<void>;

/**
 * Adds a command with the common options and an example at the end of its help.
 *
 * @param options of commander, such as `isDefault`
 */
export function addCommand(
  parent: Command,
  nameAndArguments: string,
  summary: string,
  example: string,
  options: CommandOptions = {},
): Command {
  return parent
    .command(nameAndArguments, options)
    .summary(summary)
    .description(summary)
    .option('--debug', 'show the stack of an error (or set ROLECALL_DEBUG)')
    .addHelpText('after', `\nExample:\n  ${example.replaceAll('\n', '\n  ')}`);
}

/** `--format` with the formats of a command. */
export function formatOption(...formats: Format[]): Option {
  return new Option('-f, --format <format>', 'how to print').choices(formats).default('text');
}

/** Collects the values of an option that may be repeated. */
export function gather(value: string, earlier: readonly string[] = []): string[] {
  return [...earlier, value];
}
