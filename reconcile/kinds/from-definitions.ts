import {
  createReferenceIndex,
  type Definition,
  type DefinitionOf,
  defaultRails,
  isAnnotated,
  needsAnchor,
  type ObjectDefinition,
  type Path,
  parseOverride,
  placeOf,
  plainRole,
  type ReferenceIndex,
  type WorkspaceSpec,
} from '@rolecall/crds';
import type { DesiredObject, DesiredState } from '../model/desired.ts';

/** A definition that the front end at hand cannot bring to the engine. The message follows the path: "needs …". */
export class DefinitionError extends Error {
  override name = 'DefinitionError';
  readonly code = 'ERR_DEFINITION';
  readonly definition: ObjectDefinition;
  /** The place in the definition. */
  readonly path: Path;
  /** The remedy, as a sentence. */
  readonly remedy: string;

  constructor(definition: ObjectDefinition, path: Path, message: string, remedy: string) {
    super(message);
    this.definition = definition;
    this.path = path;
    this.remedy = remedy;
  }
}

/**
 * Turns definitions into what the engine takes: references become natural keys, annotations become flags.
 *
 * @param definitions all that were read; those of other workspaces are left out
 * @param workspace the one to converge; absent where none is declared
 * @param index where the front end has one of these definitions already
 * @returns what is desired, and every definition that cannot be taken
 */
export function desiredState(
  definitions: readonly Definition[],
  workspace: DefinitionOf<'Workspace'> | undefined,
  index: ReferenceIndex = createReferenceIndex(definitions),
): { state: DesiredState; errors: DefinitionError[] } {
  const objects: DesiredObject[] = [];
  const errors: DefinitionError[] = [];
  for (const definition of definitions) {
    if (definition.kind === 'Workspace' || index.workspaceOf(definition) !== workspace) continue;
    try {
      objects.push(toDesired(definition, index));
    } catch (error) {
      if (!(error instanceof DefinitionError)) throw error;
      errors.push(error);
    }
  }
  return { state: { objects, ...strictnessOf(workspace?.spec) }, errors };
}

/** Reads from a Workspace how strictly its definitions are taken; uses the defaults if none is declared. */
export function strictnessOf(spec: Partial<WorkspaceSpec> = {}): Omit<DesiredState, 'objects'> {
  const { exact = [], rails = defaultRails, overrides = [] } = spec;
  return { exact, rails, overrides: overrides.flatMap((text) => parseOverride(text) ?? []) };
}

/** Turns one definition into what the engine takes. @throws DefinitionError where it cannot be taken */
export function toDesired(definition: ObjectDefinition, index: ReferenceIndex): DesiredObject {
  const base = {
    name: definition.metadata.name,
    ...(definition.source.file === '' ? {} : { place: placeOf(definition) }),
    ...idOf(definition),
    observeOnly: definition.spec.managementPolicy === 'Observe',
    paused: isAnnotated(definition, 'rolecall.dev/paused'),
    protected: isAnnotated(definition, 'rolecall.dev/protected'),
    ...(definition.spec.deletionPolicy === 'Orphan' ? { orphaned: true as const } : {}),
  };
  const resolve: Resolve = (kind, name) => index.resolve(kind, name, definition).naturalKey;
  switch (definition.kind) {
    case 'Person':
      return { ...base, ...toPerson(definition) };
    case 'DataSource':
      return { ...base, ...toDataSource(definition) };
    case 'Role':
      return { ...base, ...toRole(plainRole(definition, index), resolve) };
    case 'RoleMembership':
      return { ...base, ...toMembership(definition, resolve) };
    case 'Permission':
      return { ...base, ...toPermission(definition, resolve) };
    case 'Snippet':
      return { ...base, ...toSnippet(definition, resolve) };
  }
}

type Resolve = (kind: 'Person' | 'Role' | 'DataSource', name: string) => string;

function toPerson(definition: DefinitionOf<'Person'>) {
  const { username, name, email, locked, ignore } = definition.spec;
  const ignored = ignore === undefined ? {} : { ignored: ignore };
  return { kind: 'Person', username, fullName: name, email, locked, ...ignored } as const;
}

function toDataSource(definition: DefinitionOf<'DataSource'>) {
  const { alias, name, uri, passwordFrom } = definition.spec;
  const rest = { ...passwordOf(passwordFrom), ...criticalOf(definition) };
  return { kind: 'DataSource', alias, displayName: name, uri, ...rest } as const;
}

function toRole(definition: DefinitionOf<'Role'>, resolve: Resolve) {
  const { name, people, dataSources } = definition.spec;
  return {
    kind: 'Role',
    role: name,
    ...(people && { people: people.map((person) => resolve('Person', person)) }),
    ...(dataSources && { dataSources: dataSources.map((dataSource) => resolve('DataSource', dataSource)) }),
    ...notesOf(definition),
    ...criticalOf(definition),
  } as const;
}

function toMembership(definition: DefinitionOf<'RoleMembership'>, resolve: Resolve) {
  const { role, person, dataSource } = definition.spec;
  const member =
    person !== undefined
      ? ({ kind: 'Person', username: resolve('Person', person) } as const)
      : ({ kind: 'DataSource', alias: resolve('DataSource', dataSource ?? '') } as const);
  const rest = { ...windowOf(definition), ...notesOf(definition) };
  return { kind: 'RoleMembership', role: resolve('Role', role), member, ...rest } as const;
}

function toPermission(definition: DefinitionOf<'Permission'>, resolve: Resolve) {
  const { person, dataSource, startsAt, expiresAt, reason } = definition.spec;
  return {
    kind: 'Permission',
    person: resolve('Person', person),
    dataSource: resolve('DataSource', dataSource),
    expiresAt: expiresAt ?? refuseUnanchored(definition),
    ...(startsAt && { startsAt }),
    ...(reason && { reason }),
    ended: isAnnotated(definition, 'rolecall.dev/ended'),
  } as const;
}

function toSnippet({ spec }: DefinitionOf<'Snippet'>, resolve: Resolve) {
  const { name, description, text = '', owner, publicAccessLevel, locked } = spec;
  return {
    kind: 'Snippet',
    snippet: name,
    description,
    text,
    publicAccessLevel,
    locked,
    ...ownerOf(owner, resolve),
  } as const;
}

function ownerOf(owner: DefinitionOf<'Snippet'>['spec']['owner'], resolve: Resolve) {
  if (owner?.person !== undefined)
    return { owner: { kind: 'Person', username: resolve('Person', owner.person) } as const };
  if (owner?.role !== undefined) return { owner: { kind: 'Role', role: resolve('Role', owner.role) } as const };
  return {};
}

function idOf({ metadata }: ObjectDefinition): { id?: string; isIdWritten?: true } {
  const id = metadata.annotations['rolecall.dev/id'];
  return id === undefined || id === '' ? {} : { id, isIdWritten: true };
}

const criticalOf = (definition: ObjectDefinition) =>
  isAnnotated(definition, 'rolecall.dev/critical') ? { critical: true } : {};

function notesOf({ spec: { reason, owner } }: DefinitionOf<'Role'> | DefinitionOf<'RoleMembership'>) {
  return { ...(reason && { reason }), ...(owner && { owner }) };
}

function windowOf(definition: DefinitionOf<'RoleMembership'>) {
  const { startsAt, expiresAt } = definition.spec;
  if (needsAnchor(definition.spec)) refuseUnanchored(definition);
  if (startsAt === undefined && expiresAt === undefined) return {};
  return { window: { ...(startsAt && { startsAt }), ...(expiresAt && { expiresAt }) } };
}

function passwordOf(from: DefinitionOf<'DataSource'>['spec']['passwordFrom']) {
  if (from?.env !== undefined) return { password: { env: from.env } };
  if (from?.file !== undefined) return { password: { file: from.file } };
  if (from?.secretKeyRef !== undefined) return { password: { secretKeyRef: from.secretKeyRef } };
  return {};
}

/** A length without a start needs a memory of when it was first granted, which only the operator and Terraform have. */
function refuseUnanchored(definition: DefinitionOf<'Permission'> | DefinitionOf<'RoleMembership'>): never {
  const message = 'needs a start on the command line: it does not remember when access was first granted';
  const remedy = 'Add startsAt, which `rolecall anchor` does, or write expiresAt instead of duration.';
  throw new DefinitionError(definition, ['spec', 'duration'], message, remedy);
}
