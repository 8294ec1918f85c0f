import { type DefinitionOf, isAnnotated, isManaged, plainRole } from '@rolecall/crds';
import { Role, RoleDataSources, RolePeople } from '../bindings/index.ts';
import { Forgotten } from '../forgotten.ts';
import { literal } from '../literal.ts';
import { lookUpRole } from '../lookup.ts';
import { type Context, constructId, dataSourceId, personId, roleId } from './context.ts';

type RoleDefinition = DefinitionOf<'Role'>;

export function buildRole(definition: RoleDefinition, context: Context): void {
  const { scope, provider, built } = context;
  const { name } = definition.spec;
  const id = constructId('role', definition);
  if (!isManaged(definition)) {
    new Forgotten(scope, id, Role.tfResourceType);
    built.roles.set(definition, () => lookUpRole(context, name, literal));
    return;
  }
  const isProtected = isAnnotated(definition, 'rolecall.dev/protected') ? true : undefined;
  const role = new Role(scope, id, { name: literal(name), protected: isProtected, provider });
  built.roles.set(definition, () => role);
}

/**
 * Builds a role's two lists, if its definition has them. A missing list leaves its members alone, so Terraform forgets the
 * list that it has: deleting it would empty the role.
 */
export function buildMembers(definition: RoleDefinition, context: Context): void {
  const { scope, provider } = context;
  const { people, dataSources } = isManaged(definition) ? plainRole(definition, context.references).spec : {};
  const role = (): string => roleId(context, definition.metadata.name, definition);
  const additions = additionsTo(definition, context);
  const peopleId = constructId('role_people', definition);
  if (people === undefined) new Forgotten(scope, peopleId, RolePeople.tfResourceType);
  else {
    const personIds = [...people.map((name) => personId(context, name, definition)), ...additions.people];
    new RolePeople(scope, peopleId, { roleId: role(), personIds: unique(personIds), provider });
  }
  const dataSourcesId = constructId('role_data_sources', definition);
  if (dataSources === undefined) new Forgotten(scope, dataSourcesId, RoleDataSources.tfResourceType);
  else {
    const ids = [...dataSources.map((name) => dataSourceId(context, name, definition)), ...additions.dataSources];
    new RoleDataSources(scope, dataSourcesId, { roleId: role(), dataSourceIds: unique(ids), provider });
  }
}

/** Members that RoleMemberships add to the lists of a role. */
function additionsTo(role: RoleDefinition, context: Context): { people: string[]; dataSources: string[] } {
  const memberships = context.additions.get(role) ?? [];
  return {
    people: memberships.flatMap((from) =>
      from.spec.person === undefined ? [] : [personId(context, from.spec.person, from)],
    ),
    dataSources: memberships.flatMap((from) =>
      from.spec.dataSource === undefined ? [] : [dataSourceId(context, from.spec.dataSource, from)],
    ),
  };
}

const unique = (ids: readonly string[]): string[] => [...new Set(ids)];
