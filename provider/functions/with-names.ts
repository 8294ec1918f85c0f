import {
  type DefinitionOf,
  type Loaded,
  listOf,
  type ObjectDefinition,
  plainRole,
  type ReferableKind,
} from '@rolecall/crds';

type Membership = DefinitionOf<'RoleMembership'>;
type NameOf = (kind: ReferableKind, reference: string) => string;

/**
 * Writes references to what is declared as its metadata.name, the key of the maps, whichever name they have. RoleMemberships
 * of a role that lists its members of that kind become a part of the list: beside a list that is set as a whole, a membership
 * of its own would be taken out with each apply.
 *
 * @param objects that are managed
 */
export function withNames(objects: readonly ObjectDefinition[], references: Loaded['references']): ObjectDefinition[] {
  const additions = new Map<ObjectDefinition, Membership[]>();
  const rest = objects.filter((object) => {
    const role = object.kind === 'RoleMembership' ? listOf(references, object) : undefined;
    if (object.kind !== 'RoleMembership' || role === undefined) return true;
    additions.set(role, [...(additions.get(role) ?? []), object]);
    return false;
  });
  const namesFrom =
    (from: ObjectDefinition): NameOf =>
    (kind, reference) =>
      references.resolve(kind, reference, from).declared?.metadata.name ?? reference;
  return rest.map((object) => {
    const nameOf = namesFrom(object);
    if (object.kind !== 'Role') return withNamesIn(object, nameOf);
    const added = (additions.get(object) ?? []).map((membership) => withMember(membership, namesFrom(membership)));
    return withLists(plainRole(object, references), added, nameOf);
  });
}

function withNamesIn(object: Exclude<ObjectDefinition, DefinitionOf<'Role'>>, nameOf: NameOf): ObjectDefinition {
  switch (object.kind) {
    case 'Person':
    case 'DataSource':
      return object;
    case 'RoleMembership':
      return withMember(object, nameOf);
    case 'Permission': {
      const { person, dataSource } = object.spec;
      const spec = { ...object.spec, person: nameOf('Person', person), dataSource: nameOf('DataSource', dataSource) };
      return { ...object, spec };
    }
    case 'Snippet': {
      const { person, role } = object.spec.owner ?? {};
      if (person !== undefined)
        return { ...object, spec: { ...object.spec, owner: { person: nameOf('Person', person) } } };
      if (role !== undefined) return { ...object, spec: { ...object.spec, owner: { role: nameOf('Role', role) } } };
      return object;
    }
  }
}

function withMember(membership: Membership, nameOf: NameOf): Membership {
  const { role, person, dataSource } = membership.spec;
  const spec = {
    ...membership.spec,
    role: nameOf('Role', role),
    ...(person === undefined ? {} : { person: nameOf('Person', person) }),
    ...(dataSource === undefined ? {} : { dataSource: nameOf('DataSource', dataSource) }),
  };
  return { ...membership, spec };
}

function withLists(role: DefinitionOf<'Role'>, added: readonly Membership[], nameOf: NameOf): DefinitionOf<'Role'> {
  const { people, dataSources } = role.spec;
  const morePeople = added.flatMap(({ spec: { person } }) => person ?? []);
  const moreDataSources = added.flatMap(({ spec: { dataSource } }) => dataSource ?? []);
  const spec = {
    ...role.spec,
    ...(people && { people: unique([...people.map((name) => nameOf('Person', name)), ...morePeople]) }),
    ...(dataSources && {
      dataSources: unique([...dataSources.map((name) => nameOf('DataSource', name)), ...moreDataSources]),
    }),
  };
  return { ...role, spec };
}

const unique = (names: readonly string[]): string[] => [...new Set(names)];
