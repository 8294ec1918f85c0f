import {
  type CrossIssue,
  type Definition,
  formatProblem,
  hasErrors,
  type Loaded,
  type Problem,
  sortProblems,
} from '@rolecall/crds';
import { type DefinitionError, visible } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import type { Output } from '../output/output.ts';

/** Definitions that must not be applied. Nothing was called. */
export class InvalidDefinitionsError extends CliError {
  override name = 'InvalidDefinitionsError';

  /** @param spared what was not done because of them */
  constructor(problems: readonly Problem[], spared = 'nothing was called') {
    const lines = problems.map(showProblem).join('\n');
    super('ERR_INVALID_DEFINITIONS', `the definitions are not valid, so ${spared}\n${lines}`, { problems });
  }
}

/**
 * Warns of what is doubtful.
 *
 * @param issues what the command line found besides the loader
 * @throws InvalidDefinitionsError with every problem, the loader's own among them, when one of them is an error
 */
export function failIfInvalid(loaded: Loaded, issues: readonly CrossIssue[], output: Output): void {
  const problems = allProblems(loaded, issues);
  if (hasErrors(problems)) throw new InvalidDefinitionsError(problems);
  for (const problem of problems) output.warn(problem.code, withoutSeverity(problem));
}

/** The loader's problems and those that the command line found besides, in the order of the files. */
export function allProblems({ problems, locate }: Loaded, issues: readonly CrossIssue[]): Problem[] {
  return sortProblems([...problems, ...locate(issues)]);
}

/** What the command line cannot take, as an issue with its definition. */
export function notOnCommandLine(
  { definition: { source }, path, message, remedy }: DefinitionError,
  severity: Problem['severity'],
): CrossIssue {
  return { severity, code: 'not_on_command_line', path, at: 'value', message, remedy, source };
}

/** A secret that cannot be had, as an issue with the definition that names it. */
export function secretUnavailable(
  { source }: Definition,
  path: CrossIssue['path'],
  { fault, remedy }: { fault: string; remedy: string },
): CrossIssue {
  return { severity: 'error', code: 'secret_unavailable', path, at: 'value', message: fault, remedy, source };
}

/** One line: `team/people.yaml:12:9 error: spec.name is missing. Add name. [field_missing]`. */
export function showProblem(problem: Problem): string {
  return visible(formatProblem(problem));
}

function withoutSeverity(problem: Problem): string {
  return showProblem(problem).replace(/ warning:/, ':');
}

/** `Permission/ada-billing`. */
export function describe({ kind, metadata }: Definition): string {
  return `${kind}/${metadata.name}`;
}
