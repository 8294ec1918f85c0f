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
  for (const each of ofKind(objects, 'Person')) buildPerson(each, whole);
  for (const each of ofKind(objects, 'DataSource')) buildDataSource(each, whole);
  for (const each of roles) buildRole(each, whole);
  for (const each of roles) buildMembers(each, whole);
  for (const each of memberships) buildMembership(each, whole);
  for (const each of ofKind(objects, 'Permission')) buildPermission(each, whole);
  for (const each of ofKind(objects, 'Snippet')) buildSnippet(each, whole);
  return built;
}

function additionsOf(
  memberships: readonly DefinitionOf<'RoleMembership'>[],
  references: Loaded['references'],
): Context['additions'] {
  const managed = memberships.filter((each) => isManaged(each));
  const byRole = new Map<Definition, DefinitionOf<'RoleMembership'>[]>();
  for (const each of managed) {
    const role = listOf(references, each);
    if (role !== undefined) byRole.set(role, [...(byRole.get(role) ?? []), each]);
  }
  return byRole;
}

function ofKind<K extends KindName>(objects: readonly ObjectDefinition[], kind: K): DefinitionOf<K>[] {
  const found = objects.filter((each): each is ObjectDefinition & DefinitionOf<K> => each.kind === kind);
  return found.toSorted((one, other) => compare(sortKey(one), sortKey(other)));
}

function sortKey({ metadata: { namespace = '', name } }: Definition): string {
  return `${namespace}:${name}`;
}

function compare(one: string, other: string): number {
  return one < other ? -1 : one > other ? 1 : 0;
}
