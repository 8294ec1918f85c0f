import {
  type Definition,
  type DefinitionOf,
  defaultRails,
  findTimeIssues,
  isAnnotated,
  isManaged,
  type Loaded,
  listOf,
  type ObjectDefinition,
  type Path,
} from '@rolecall/crds';
import type { Password } from './password.ts';

type Issue = Parameters<Loaded['locate']>[0][number];

/** Finds parts of definitions that Terraform's resources cannot honour, or only with further input. */
export function findIssues(
  objects: readonly ObjectDefinition[],
  workspaces: readonly DefinitionOf<'Workspace'>[],
  references: Loaded['references'],
  passwords: Readonly<Record<string, Password>>,
): Issue[] {
  return [
    ...workspaces.flatMap(workspaceIssues),
    ...findTimeIssues(objects, references).map(({ definition, field, message, remedy }) =>
      issue(definition, ['spec', field], 'error', message, remedy),
    ),
    ...objects.flatMap((definition) => [
      ...orphanIssues(definition),
      ...(definition.kind === 'DataSource' ? passwordIssues(definition, passwords) : []),
      ...(definition.kind === 'RoleMembership' ? membershipIssues(definition, references) : []),
    ]),
  ];
}

function issue(
  definition: Definition,
  path: Path,
  severity: Issue['severity'],
  message: string,
  remedy: string,
): Issue {
  return { severity, code: 'not_in_terraform', path, at: 'value', message, remedy, source: definition.source };
}

function orphanIssues(definition: ObjectDefinition): Issue[] {
  if (definition.spec.deletionPolicy !== 'Orphan' || !isManaged(definition)) return [];
  const message = 'is Orphan, but Terraform deletes what is no longer configured';
  const remedy =
    'Leave it out. Before the definition goes, set managementPolicy: Observe and apply once: Terraform then forgets the object.';
  return [issue(definition, ['spec', 'deletionPolicy'], 'error', message, remedy)];
}

function passwordIssues(
  definition: DefinitionOf<'DataSource'>,
  passwords: Readonly<Record<string, Password>>,
): Issue[] {
  const { name } = definition.metadata;
  if (definition.spec.passwordFrom === undefined || Object.hasOwn(passwords, name) || !isManaged(definition)) return [];
  const message = 'cannot be read by Terraform, and the construct was given no password for it';
  const remedy = `Pass passwords: { ${JSON.stringify(name)}: { value, version } }, the value from a sensitive TerraformVariable.`;
  return [issue(definition, ['spec', 'passwordFrom'], 'error', message, remedy)];
}

/** In a list that is set as a whole, a member can be or not be, but not be left as it is. */
function membershipIssues(definition: DefinitionOf<'RoleMembership'>, references: Loaded['references']): Issue[] {
  if (isManaged(definition)) return [];
  const role = listOf(references, definition);
  if (role === undefined) return [];
  const list = definition.spec.person === undefined ? 'dataSources' : 'people';
  const path = isAnnotated(definition, 'rolecall.dev/paused')
    ? ['metadata', 'annotations', 'rolecall.dev/paused']
    : ['spec', 'managementPolicy'];
  const message = `leaves this membership as it is, but Role ${role.metadata.name} lists its ${list}, which Terraform sets as a whole`;
  const remedy = `Remove the membership or manage it, or leave ${list} out of the role.`;
  return [issue(definition, path, 'error', message, remedy)];
}

function workspaceIssues(workspace: DefinitionOf<'Workspace'>): Issue[] {
  const { exact = [], rails, overrides = [] } = workspace.spec;
  const issues: Issue[] = [];
  if (exact.length > 0) {
    const message = 'has no effect here: Terraform removes only what it has made or taken over';
    const remedy = 'Nothing needs to be done where that is enough; otherwise use `rolecall apply`.';
    issues.push(issue(workspace, ['spec', 'exact'], 'warning', message, remedy));
  }
  if (
    rails.maxRemovalPercent !== defaultRails.maxRemovalPercent ||
    rails.minimumRemoval !== defaultRails.minimumRemoval
  ) {
    const message = "has no effect here: the provider's own rails hold";
    const remedy = `Give the RolecallProvider maxRemovalPercent: ${rails.maxRemovalPercent} and minimumRemoval: ${rails.minimumRemoval}, if it has not got them.`;
    issues.push(issue(workspace, ['spec', 'rails'], 'warning', message, remedy));
  }
  if (overrides.length > 0) {
    const remedy = 'Set ROLECALL_MAX_REMOVAL_PERCENT for the one command that needs it.';
    issues.push(
      issue(workspace, ['spec', 'overrides'], 'warning', "has no effect here: the provider's own rails hold", remedy),
    );
  }
  return issues;
}
