import { type Command, InvalidArgumentError, Option } from 'commander';
import { gather } from '../command.ts';
import { addConnectionOptions } from './connection-options.ts';

/** The options by which `plan` and `apply` find the workspace, and those that shape a plan. */
export function addPlanOptions(command: Command): Command {
  return addConnectionOptions(command).option(
    '--override <token>',
    'override a rail by the token that the plan names; may be repeated',
    gather,
  );
}

/** A number of calls side by side. */
export function parseConcurrency(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1 && number <= 64) return number;
  throw new InvalidArgumentError('It must be a whole number from 1 to 64.');
}

export interface LimitFlags {
  /** The most characters of Markdown. */
  commentLimit?: number;
  /** Lists similar objects one by one instead of folding them. */
  verbose?: boolean;
  /** Prints only what is refused or fails. */
  quiet?: boolean;
}

/** `--verbose`. */
export function verboseOption(): Option {
  return new Option('-v, --verbose', 'list every object, even where many are alike');
}

/** `--quiet`. */
export function quietOption(): Option {
  return new Option('-q, --quiet', 'print only what is refused or fails').conflicts('verbose');
}

/** `--comment-limit`: how long the comment may be that the Markdown is for. */
export function commentLimitOption(): Option {
  return new Option(
    '--comment-limit <characters>',
    'the most that --format markdown prints (default: 65536, as GitHub takes it; GitLab takes 1000000)',
  ).argParser(parseLimit);
}

function parseLimit(text: string): number {
  const number = Number(text);
  if (Number.isInteger(number) && number >= 1000) return number;
  throw new InvalidArgumentError('It must be a whole number of at least 1000.');
}
