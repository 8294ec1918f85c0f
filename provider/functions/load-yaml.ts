import { Readable } from 'node:stream';
import {
  findTimeIssues,
  formatProblem,
  hasErrors,
  isAnnotated,
  isManaged,
  type Loaded,
  loadDefinitions,
  type ObjectDefinition,
  type Path,
  type Problem,
  placeOf,
} from '@rolecall/crds';
import { FunctionError } from '../plugin/framework/provider.ts';
import { withNames } from './with-names.ts';

type Issue = Parameters<Loaded['locate']>[0][number];

/**
 * Reads definitions in YAML, as resources can be made of them: without what is over, and with references and lists of roles as
 * `withNames` has them.
 *
 * @throws FunctionError with every error, its line and its remedy
 */
export async function loadYaml(text: string): Promise<readonly ObjectDefinition[]> {
  failOnPath(text);
  const { definitions, problems, references, locate } = await loadDefinitions(['-'], {
    stdin: Readable.from([withoutMarks(text)]),
  });
  failOnErrors(problems);
  const objects = definitions.filter((definition): definition is ObjectDefinition => definition.kind !== 'Workspace');
  const managed = objects.filter(isManaged);
  failOnSeveralWorkspaces(managed, references);
  failOnErrors(locate(findIssues(objects, references)));
  return withNames(managed, references);
}

/** The longest that Linux opens. */
const longestPath = 4096;

/** A path in place of the text of its file: what the loader says of that, it would say of a document. */
function failOnPath(text: string): void {
  const path = text
    .split(/\n---\r?\n/)
    .find((part) => part.length <= longestPath && !/[\n:{}[\]#]/.test(part) && /[./\\]/.test(part));
  if (path === undefined) return;
  const written = JSON.stringify(path);
  throw new FunctionError(`${written} is a path, and definitions takes the text of a file: file(${written})`, 0);
}

/** A byte order mark that begins a file begins no text any more once the files are joined, with `---` between them. */
function withoutMarks(text: string): string {
  return text.replaceAll(/^(---\r?\n)\uFEFF/gm, '$1');
}

function failOnErrors(problems: readonly Problem[]): void {
  if (!hasErrors(problems)) return;
  if (problems.some(({ code }) => code === 'nothing_declared'))
    throw new FunctionError('the text has no definition. If fileset names the files, it may match none', 0);
  const lines = problems.filter(({ severity }) => severity === 'error').map(formatProblem);
  throw new FunctionError(`the definitions have errors:\n${lines.join('\n')}`, 0);
}

/** A resource belongs to the one workspace of its provider, which the maps cannot say. */
function failOnSeveralWorkspaces(objects: readonly ObjectDefinition[], references: Loaded['references']): void {
  const used = new Set(objects.map((object) => references.workspaceOf(object)));
  if (used.size <= 1) return;
  const names = [...used].map((workspace) => workspace?.metadata.name ?? 'none').toSorted();
  throw new FunctionError(
    `the definitions are of several Workspaces, ${names.join(', ')}, and a provider has one: call the function with the files of one Workspace at a time`,
    0,
  );
}

/** Finds definitions that maps by metadata.name, and resources with `for_each` over them, cannot represent. */
function findIssues(objects: readonly ObjectDefinition[], references: Loaded['references']): Issue[] {
  return [
    ...sameNames(objects.filter(isManaged)),
    ...objects.flatMap((object) => [...orphanIssues(object), ...leftAloneIssues(object)]),
    ...findTimeIssues(objects, references).map(({ definition, field, message, remedy }) =>
      issue(definition, ['spec', field], message, remedy),
    ),
  ];
}

function issue({ source }: ObjectDefinition, path: Path, message: string, remedy: string): Issue {
  return { severity: 'error', code: 'not_in_terraform', path, at: 'value', message, remedy, source };
}

function sameNames(objects: readonly ObjectDefinition[]): Issue[] {
  const byName = Map.groupBy(objects, ({ kind, metadata: { name } }) => `${kind}/${name}`);
  return [...byName].flatMap(([name, [first, ...others]]) =>
    others.map((other) => {
      const place = first === undefined ? '' : ` at ${placeOf(first)}`;
      const message = `is the name of another ${name}${place}, in another namespace: of the two one would be lost`;
      const remedy = 'Give one of them another name, or call the function for each namespace.';
      return issue(other, ['metadata', 'name'], message, remedy);
    }),
  );
}

function orphanIssues(definition: ObjectDefinition): Issue[] {
  if (definition.spec.deletionPolicy !== 'Orphan' || !isManaged(definition)) return [];
  const message = 'is Orphan, but Terraform deletes what is no longer configured';
  const remedy = 'Leave it out. Before the definition goes, take its resource out of the state: terraform state rm.';
  return [issue(definition, ['spec', 'deletionPolicy'], message, remedy)];
}

/** Left out, it would be deleted where Terraform has it in its state, and a person with all their access. */
function leftAloneIssues(definition: ObjectDefinition): Issue[] {
  const isPaused = isAnnotated(definition, 'rolecall.dev/paused');
  if (!isPaused && definition.spec.managementPolicy !== 'Observe') return [];
  const path = isPaused ? ['metadata', 'annotations', 'rolecall.dev/paused'] : ['spec', 'managementPolicy'];
  const message =
    'leaves it as it is, which a resource of Terraform cannot: it is changed while it is given, and deleted when it is not';
  const remedy =
    'Call the function without this definition, and if Terraform has it, take it out of the state first: terraform state rm.';
  return [issue(definition, path, message, remedy)];
}
