import { type Definition, formatProblem, hasErrors, type Loaded, loadDefinitions, type Problem } from '@rolecall/crds';
import { type DefinitionError, visible } from '@rolecall/reconcile';
import type { Context } from './command.ts';
import { CliError } from './errors.ts';

/** A problem of the loader, or one that only the command line has. */
export type ShownProblem = Omit<Problem, 'code'> & { code: string };

/** Definitions that must not be applied. Nothing was called. */
export class InvalidDefinitionsError extends CliError {
  override name = 'InvalidDefinitionsError';

  constructor(problems: readonly ShownProblem[]) {
    const lines = problems.map(showProblem).join('\n');
    super('ERR_INVALID_DEFINITIONS', `the definitions are not valid, so nothing was called\n${lines}`, { problems });
  }
}

/**
 * Loads definitions that are to be planned.
 *
 * @throws InvalidDefinitionsError with every problem, when one of them is an error
 */
export async function loadValid(paths: readonly string[], { io, output }: Context): Promise<Loaded> {
  const loaded = await loadDefinitions(paths, { stdin: io.stdin });
  if (hasErrors(loaded.problems)) throw new InvalidDefinitionsError(loaded.problems);
  for (const problem of loaded.problems) output.warn(problem.code, withoutSeverity(problem));
  if (loaded.definitions.length === 0) {
    throw new CliError(
      'ERR_NOTHING_DECLARED',
      `${paths.join(', ')}: no definition of Rolecall is in what was read; give the folder that holds them`,
    );
  }
  return loaded;
}

/** What the command line cannot take, as the loader would report it. */
export function problemOf(error: DefinitionError, severity: Problem['severity']): ShownProblem {
  const { definition, path, message } = error;
  const [what = message, remedy = ''] = message.split('; ');
  return {
    severity,
    code: 'not_on_command_line',
    file: definition.source.file,
    line: definition.source.line,
    column: 1,
    path,
    message: `${path} of ${describe(definition)} ${what}`,
    remedy: remedy === '' ? '' : `${remedy.charAt(0).toUpperCase()}${remedy.slice(1)}.`,
  };
}

/** One line: `team/people.yaml:12:9 error: spec.name is missing. Add name. [field_missing]`. */
export function showProblem(problem: ShownProblem): string {
  // The code is only printed, so that one which the loader does not have is as good.
  return visible(formatProblem(problem as Problem));
}

function withoutSeverity(problem: ShownProblem): string {
  return showProblem(problem).replace(/ warning:/, ':');
}

/** `Permission/ada-billing`. */
export function describe({ kind, metadata }: Definition): string {
  return `${kind}/${metadata.name}`;
}

/** `data-sources.yaml:12`. */
export function placeOf({ source }: Definition): string {
  return `${source.file}:${source.line}`;
}
