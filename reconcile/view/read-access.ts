import type { DataSource, Permission, Person, RolePerson } from '@rolecall/api';
import type { AccessDataSource, AccessFacts, AccessMember, AccessPermission, AccessPerson } from './access.ts';
import type { View } from './view.ts';

/**
 * Reads what decides access: one LIST a collection, and two a role for its members.
 *
 * @throws the client's errors
 */
export async function readAccessFacts(view: View): Promise<AccessFacts> {
  const [people, dataSources, permissions, roles] = await readCollections(view);
  return {
    people: people.all.map(toPerson),
    dataSources: dataSources.all.map(toDataSource),
    roles: await Promise.all(
      roles.all.map(async ({ id, name }) => {
        const [inRole, reached] = await Promise.all([view.rolePeople(id), view.roleDataSources(id)]);
        return { key: id, name, people: inRole.all.map(toMember), dataSources: reached.all.map(toMember) };
      }),
    ),
    permissions: permissions.all.map(toPermission),
  };
}

/** The collections that decide access, all at once. */
export function readCollections(view: View) {
  return Promise.all([view.people(), view.dataSources(), view.permissions(), view.roles()]);
}

export const toPerson = ({ id, username, name, isLocked }: Person): AccessPerson => ({
  key: id,
  username,
  name,
  isLocked,
});

export const toDataSource = ({ id, alias, name }: DataSource): AccessDataSource => ({ key: id, alias, name });

export const toPermission = ({ id, person, dataSource, startsAt, expiresAt }: Permission): AccessPermission => ({
  key: id,
  person: person.id,
  dataSource: dataSource.id,
  startsAt,
  expiresAt,
});

export const toMember = ({
  id,
  assignedAt,
  windows,
}: Pick<RolePerson, 'id' | 'assignedAt' | 'windows'>): AccessMember => ({
  key: id,
  assignedAt,
  ...(windows && { windows }),
});
