import { type Command, type CommandOptions, Option } from 'commander';
import type { ExitCode } from './exit-codes.ts';
import type { Format, Output } from './output/output.ts';
import type { Io } from './process/io.ts';
import type { Connection } from './workspace/connection.ts';

/** What the action of a command gets besides its arguments and options. */
export interface Context {
  readonly io: Io;
  readonly output: Output;
  /** Where the calls of the command go, once it makes any: what went wrong with one is told in terms of it. */
  connection?: Connection;
}

/** The options that every command has. */
export interface CommonOptions {
  format: Format;
  debug?: true;
}

/** Makes a commander action of a function that gives the exit code. */
export type Run = <A extends unknown[]>(
  action: (context: Context, ...args: A) => Promise<ExitCode>,
) => (...args: A) => Promise<void>;

/**
 * Adds a command with the options that all have, and an example at the end of its help.
 *
 * @param options commander's own, such as that it is the default among its parent's
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
    .option('--debug', 'show where an error comes from (or set ROLECALL_DEBUG)')
    .addHelpText('after', `\nExample:\n  ${example.replaceAll('\n', '\n  ')}`);
}

/** `--format`, with the formats that a command has. */
export function formatOption(...formats: Format[]): Option {
  return new Option('-f, --format <format>', 'how to print').choices(formats).default('text');
}

/** Gathers the values of an option that may be given several times. */
export function gather(value: string, before: readonly string[] = []): string[] {
  return [...before, value];
}
