import { Readable } from 'node:stream';
import {
  formatProblem,
  hasErrors,
  isManaged,
  type Loaded,
  loadDefinitions,
  type ObjectDefinition,
  type Problem,
} from '@rolecall/crds';
import { FunctionError } from '../plugin/framework/provider.ts';
import { findIssues } from './issues.ts';
import { withNames } from './with-names.ts';

/**
 * Reads definitions in YAML, as resources can be made of them: without what is over, and with references and lists of roles as
 * `withNames` has them.
 *
 * @throws FunctionError with every error, its line and its remedy
 */
export async function loadYaml(text: string): Promise<readonly ObjectDefinition[]> {
  const { definitions, problems, references, locate } = await loadDefinitions(['-'], {
    stdin: Readable.from([withoutMarks(text)]),
  });
  failOnErrors(problems);
  const objects = definitions.filter((each): each is ObjectDefinition => each.kind !== 'Workspace');
  const managed = objects.filter(isManaged);
  failOnSeveralWorkspaces(managed, references);
  failOnErrors(locate(findIssues(objects)));
  return withNames(managed, references);
}

/** A byte order mark that begins a file begins no text any more once the files are joined, with `---` between them. */
function withoutMarks(text: string): string {
  return text.replaceAll(/^(---\r?\n)\uFEFF/gm, '$1');
}

function failOnErrors(problems: readonly Problem[]): void {
  if (!hasErrors(problems)) return;
  const lines = problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  throw new FunctionError(`the definitions have errors:\n${lines.join('\n')}`, 0);
}

/** A resource belongs to the one workspace of its provider, which the maps cannot say. */
function failOnSeveralWorkspaces(objects: readonly ObjectDefinition[], references: Loaded['references']): void {
  const used = new Set(objects.map((each) => references.workspaceOf(each)));
  if (used.size <= 1) return;
  const names = [...used].map((each) => each?.metadata.name ?? 'none').toSorted();
  throw new FunctionError(
    `the definitions are of several Workspaces, ${names.join(', ')}, and a provider has one: call the function with the files of one Workspace at a time`,
    0,
  );
}
