import { type Definition, type DefinitionOf, formatProblem, hasErrors, type ObjectDefinition } from '@rolecall/crds';
import { loadDefinitionsSync } from '@rolecall/crds/sync';
import { Annotations, type TerraformProvider, Token } from 'cdktf';
import { Construct } from 'constructs';
import type {
  DataRolecallDataSource,
  DataRolecallPerson,
  DataRolecallRole,
  DataSource,
  Person,
  Role,
} from './bindings/index.ts';
import { buildObjects } from './definitions/build.ts';
import type { Context } from './definitions/context.ts';
import type { Password } from './definitions/password.ts';
import { findIssues } from './definitions/problems.ts';
import { DefinitionsError, PropertyError } from './errors.ts';
import { needKnown, needText } from './known.ts';
import { unknownName } from './unknown-name.ts';

export interface DefinitionsProps {
  /** Files with definitions, and folders, which are searched for .yaml, .yml and .json; relative to the working directory. */
  readonly paths: readonly string[];
  /** The metadata.name of the Workspace whose objects are meant, where the files hold those of several. */
  readonly workspace?: string;
  /** The passwords of data sources that have `passwordFrom`, by metadata.name. */
  readonly passwords?: Readonly<Record<string, Password>>;
  /** Default: the provider without alias. */
  readonly provider?: TerraformProvider;
}

/**
 * Everything that definitions in YAML declare, a resource an object. The ids of the resources depend on kind, namespace
 * and name alone. What a definition only observes, has paused or has ended is forgotten by Terraform, not deleted.
 */
export class Definitions extends Construct {
  readonly #built: Context['built'];

  /**
   * @throws DefinitionsError with every problem of the definitions, each with file, line, column, field and remedy;
   *   PropertyError for what is wrong with the properties, UnresolvedTokenError for those that must be known
   */
  constructor(scope: Construct, id: string, props: DefinitionsProps) {
    super(scope, id);
    const { paths, passwords = {}, provider } = props;
    checkPaths(this, paths);
    const { definitions, problems, references, locate } = loadDefinitionsSync(paths);
    // Which workspace, and whether its passwords are there, can only be said of what could be read.
    if (hasErrors(problems)) throw new DefinitionsError(problems, problems.map(formatProblem));
    const workspaces = workspacesOf(this, definitions, references.workspaceOf, props.workspace);
    const objects = definitions.filter(
      (definition): definition is ObjectDefinition =>
        definition.kind !== 'Workspace' &&
        (props.workspace === undefined || workspaces.has(references.workspaceOf(definition))),
    );
    checkPasswords(this, objects, passwords);
    const issues = locate(
      findIssues(
        objects,
        [...workspaces].flatMap((workspace) => workspace ?? []),
        references,
        passwords,
      ),
    );
    const all = [...problems, ...issues];
    if (hasErrors(issues)) throw new DefinitionsError(all, all.map(formatProblem));
    for (const problem of all) Annotations.of(this).addWarning(formatProblem(problem));
    this.#built = buildObjects(objects, { scope: this, provider, passwords, references });
  }

  /** A person by metadata.name; a lookup where the definition is not managed. */
  person(name: string): Person | DataRolecallPerson {
    return find(this, 'person', name, this.#built.people);
  }

  /** A role by metadata.name; a lookup where the definition is not managed. */
  role(name: string): Role | DataRolecallRole {
    return find(this, 'role', name, this.#built.roles);
  }

  /** A data source by metadata.name; a lookup where the definition is not managed. */
  dataSource(name: string): DataSource | DataRolecallDataSource {
    return find(this, 'dataSource', name, this.#built.dataSources);
  }
}

type Workspace = DefinitionOf<'Workspace'>;

function checkPaths(construct: Definitions, paths: readonly string[]): void {
  const remedy = 'Pass names of files and folders as plain text.';
  needKnown(construct, 'paths', paths, remedy);
  for (const [index, path] of paths.entries()) needText(construct, `paths[${index}]`, path, remedy);
  if (paths.length === 0) throw new PropertyError(construct, 'paths', 'is empty', remedy);
}

/** The workspaces whose objects are built; undefined stands for that of objects where none is declared. */
function workspacesOf(
  construct: Definitions,
  definitions: readonly Definition[],
  workspaceOf: Context['references']['workspaceOf'],
  name: string | undefined,
): Set<Workspace | undefined> {
  const declared = definitions.filter((definition) => definition.kind === 'Workspace');
  if (name === undefined) {
    const used = new Set(
      definitions.flatMap((definition) => (definition.kind === 'Workspace' ? [] : [workspaceOf(definition)])),
    );
    if (used.size <= 1) return used;
    const names = [...used].map((workspace) => workspace?.metadata.name ?? 'none').toSorted();
    const remedy = 'Pass the metadata.name of one of them, and use a construct with a provider for each.';
    throw new PropertyError(construct, 'workspace', `is needed: the definitions are of ${names.join(', ')}`, remedy);
  }
  needText(construct, 'workspace', name, 'Pass the metadata.name of a Workspace as plain text.');
  const namesakes = declared.filter(({ metadata }) => metadata.name === name);
  if (namesakes.length > 0) return new Set(namesakes);
  throw unknownName(
    construct,
    'workspace',
    `workspace of the definitions: ${name}`,
    name,
    declared.map(({ metadata }) => metadata.name),
  );
}

function checkPasswords(
  construct: Definitions,
  objects: readonly ObjectDefinition[],
  passwords: NonNullable<DefinitionsProps['passwords']>,
): void {
  needKnown(construct, 'passwords', passwords, 'Write the names of data sources as plain text.');
  const takers = objects.flatMap((object) =>
    object.kind === 'DataSource' && object.spec.passwordFrom !== undefined ? [object.metadata.name] : [],
  );
  for (const [name, { value }] of Object.entries(passwords)) {
    const property = `passwords.${name}`;
    if (!takers.includes(name))
      throw unknownName(construct, property, `data source with passwordFrom: ${name}`, name, takers);
    if (Token.isUnresolved(value)) continue;
    const remedy = 'Pass the value of a sensitive TerraformVariable, and set TF_VAR_… to the password.';
    throw new PropertyError(construct, property, 'is plain text, which would stand in the configuration', remedy);
  }
}

function find<T>(construct: Definitions, property: string, name: string, built: ReadonlyMap<Definition, () => T>): T {
  needText(construct, property, name, 'Pass a metadata.name as plain text.');
  for (const [{ metadata }, objectOf] of built) if (metadata.name === name) return objectOf();
  throw unknownName(
    construct,
    property,
    `${property} of the definitions: ${name}`,
    name,
    [...built.keys()].map(({ metadata }) => metadata.name),
  );
}
