import {
  type Definition,
  type DefinitionOf,
  isManaged,
  type KindName,
  type Loaded,
  listOf,
  type ObjectDefinition,
} from '@rolecall/crds';
import { type Context } from './context.ts';
import { buildDataSource } from './data-source.ts';
import { buildPermission } from './permission.ts';
import { buildPerson } from './person.ts';
import { buildMembers, buildRole } from './role.ts';
import { buildMembership } from './role-membership.ts';
import { buildSnippet } from './snippet.ts';

/** Builds all objects: those that others refer to first, each kind by name, so that the order of files is of no account. */
export function buildObjects(
  objects: readonly ObjectDefinition[],
  context: Omit<Context, 'built' | 'additions'>,
): Context['built'] {
  const built: Context['built'] = { people: new Map(), roles: new Map(), dataSources: new Map() };
  const memberships = ofKind(objects, 'RoleMembership');
  const roles = ofKind(objects, 'Role');
  const whole: Context = { ...context, built, additions: additionsOf(memberships, context.references) };
  for (const person of ofKind(objects, 'Person')) buildPerson(person, whole);
  for (const dataSource of ofKind(objects, 'DataSource')) buildDataSource(dataSource, whole);
  for (const role of roles) buildRole(role, whole);
  for (const role of roles) buildMembers(role, whole);
  for (const membership of memberships) buildMembership(membership, whole);
  for (const permission of ofKind(objects, 'Permission')) buildPermission(permission, whole);
  for (const snippet of ofKind(objects, 'Snippet')) buildSnippet(snippet, whole);
  return built;
}

function additionsOf(
  memberships: readonly DefinitionOf<'RoleMembership'>[],
  references: Loaded['references'],
): Context['additions'] {
  const managed = memberships.filter((membership) => isManaged(membership));
  const byRole = new Map<Definition, DefinitionOf<'RoleMembership'>[]>();
  for (const membership of managed) {
    const role = listOf(references, membership);
    if (role !== undefined) byRole.set(role, [...(byRole.get(role) ?? []), membership]);
  }
  return byRole;
}

function ofKind<K extends KindName>(objects: readonly ObjectDefinition[], kind: K): DefinitionOf<K>[] {
  const definitions = objects.filter((object): object is ObjectDefinition & DefinitionOf<K> => object.kind === kind);
  return definitions.toSorted((definition, other) => compare(sortKey(definition), sortKey(other)));
}

function sortKey({ metadata: { namespace = '', name } }: Definition): string {
  return `${namespace}:${name}`;
}

function compare(key: string, other: string): number {
  return key < other ? -1 : key > other ? 1 : 0;
}
