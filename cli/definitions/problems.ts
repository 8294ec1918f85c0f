import {
  type CrossIssue,
  type Definition,
  type Excerpt,
  formatProblem,
  hasErrors,
  type Loaded,
  type Problem,
  sortProblems,
} from '@rolecall/crds';
import { type DefinitionError, type Palette, visible } from '@rolecall/reconcile';
import { CliError } from '../errors.ts';
import type { Output } from '../output/output.ts';

/** The definitions have errors. No request was sent. */
export class InvalidDefinitionsError extends CliError {
  override name = 'InvalidDefinitionsError';

  readonly #lead: string;
  readonly #problems: readonly Problem[];
  readonly #excerptOf: Loaded['excerptOf'];

  /**
   * @param excerptOf gives the line of each problem, which is shown to people
   * @param spared the work that was skipped because of the errors
   */
  constructor(
    problems: readonly Problem[],
    excerptOf: Loaded['excerptOf'] = () => undefined,
    spared = 'no request was sent',
  ) {
    // Where no file could be read, the definitions themselves may be fine.
    const isUnread = problems.every(({ severity, line }) => severity === 'warning' || line === 0);
    const lead = `the definitions ${isUnread ? 'cannot be read' : 'are not valid'}, so ${spared}`;
    super('ERR_INVALID_DEFINITIONS', [lead, ...problems.map((problem) => showProblem(problem))].join('\n'), {
      problems,
    });
    this.#lead = lead;
    this.#problems = problems;
    this.#excerptOf = excerptOf;
  }

  /** For people: with the line of each problem. */
  override render(palette: Palette): string {
    return [this.#lead, ...showProblems(this.#problems, this.#excerptOf, palette)].join('\n');
  }
}

/**
 * Prints warnings.
 *
 * @param issues found by the command line, in addition to the loader's problems
 * @throws InvalidDefinitionsError with all problems when one of them is an error
 */
export function failIfInvalid(loaded: Loaded, issues: readonly CrossIssue[], output: Output): void {
  const problems = allProblems(loaded, issues);
  if (hasErrors(problems)) throw new InvalidDefinitionsError(problems, loaded.excerptOf);
  for (const problem of problems) {
    const excerpt = loaded.excerptOf(problem);
    const below = excerpt && ((palette: Palette) => showExcerpt(excerpt, palette.change, palette));
    output.warn(problem.code, withoutSeverity(problem), below);
  }
}

/** The loader's problems and the command line's own, in the order of the files. */
export function allProblems({ problems, locate }: Loaded, issues: readonly CrossIssue[]): Problem[] {
  return sortProblems([...problems, ...locate(issues)]);
}

/** A field that the command line cannot support, as an issue of its definition. */
export function notOnCommandLine(
  { definition: { source }, path, message, remedy }: DefinitionError,
  severity: Problem['severity'],
): CrossIssue {
  return { severity, code: 'not_on_command_line', path, at: 'value', message, remedy, source };
}

/** A secret that is not available, as an issue of the definition that names it. */
export function secretUnavailable(
  { source }: Definition,
  path: CrossIssue['path'],
  { fault, remedy }: { fault: string; remedy: string },
): CrossIssue {
  return { severity: 'error', code: 'secret_unavailable', path, at: 'value', message: fault, remedy, source };
}

/** One line: `team/people.yaml:12:9 error: spec.name is missing. Add name. [field_missing]`. */
function showProblem(problem: Problem): string {
  return visible(formatProblem(problem));
}

/** Problems after this many are shown without their line; they probably have the same cause. */
const mostExcerpts = 100;

/** Each problem on a line, followed by the line of the file with a mark under the place. */
export function showProblems(problems: readonly Problem[], excerptOf: Loaded['excerptOf'], palette: Palette): string[] {
  return problems.map((problem, index) => {
    const paint = problem.severity === 'error' ? palette.remove : palette.change;
    // Problems at the same place share one excerpt.
    const excerpt =
      index < mostExcerpts && !isAtSamePlace(problem, problems[index + 1]) ? excerptOf(problem) : undefined;
    const line = paint(showProblem(problem));
    return excerpt === undefined ? line : `${line}\n${showExcerpt(excerpt, paint, palette)}`;
  });
}

function isAtSamePlace({ file, line, column }: Problem, other: Problem | undefined): boolean {
  return other?.file === file && other.line === line && other.column === column;
}

function showExcerpt({ line, text, indent, width }: Excerpt, paint: Palette['remove'], { dim }: Palette): string {
  const number = String(line).padStart(5);
  const mark = `${' '.repeat(indent)}${paint('^'.repeat(width))}`;
  return `${dim(`${number} |`)} ${text}\n${dim(`${' '.repeat(number.length)} |`)} ${mark}`;
}

function withoutSeverity(problem: Problem): string {
  return showProblem(problem).replace(/ warning:/, ':');
}

/** `Permission/ada-billing`. */
export function definitionLabel({ kind, metadata }: Definition): string {
  return `${kind}/${metadata.name}`;
}
