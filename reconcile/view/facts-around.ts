import { touchesAccess } from '../model/access-operations.ts';
import { idOf, type Step } from '../model/step.ts';
import type { AccessFacts, AccessMember } from './access.ts';
import { readAccessFacts, readCollections, toDataSource, toPermission, toPerson } from './read-access.ts';
import type { View } from './view.ts';

/**
 * Reads what decides the access of the people whom a plan concerns, and nothing of the others: their roles, and what is in
 * those. Where they are more than there are roles, or a data source goes, everyone's roles are read instead.
 *
 * @throws the client's errors
 */
export async function readFactsAround(steps: readonly Step[], view: View): Promise<AccessFacts> {
  const [people, dataSources, permissions, roles] = await readCollections(view);
  const touched = idsIn(steps, 'role').filter((id) => roles.byId.has(id));
  // Who else is in a role that only gains or loses a person reaches what they did.
  const changed = idsIn(steps.filter(changesAllMembers), 'role').filter((id) => roles.byId.has(id));
  const others = await Promise.all(changed.map(async (id) => [...(await view.rolePeople(id)).byId.keys()]));
  const ended = idsIn(steps, 'permission').flatMap((id) => permissions.byId.get(id)?.person.id ?? []);
  const concerned = new Set([
    ...idsIn(steps, 'person').filter((id) => people.byId.has(id)),
    ...others.flat(),
    ...ended,
  ]);
  if (concerned.size >= roles.all.length || steps.some(({ operation }) => operation === 'deleteDataSource')) {
    return readAccessFacts(view);
  }
  const joined = new Map(
    await Promise.all([...concerned].map(async (id) => [id, await view.personRoles(id)] as const)),
  );
  const inRole = new Map<string, AccessMember[]>(touched.map((id) => [id, []]));
  for (const [key, own] of joined) {
    for (const { id, windows } of own)
      inRole.set(id, [...(inRole.get(id) ?? []), { key, ...(windows && { windows }) }]);
  }
  return {
    people: people.all.filter(({ id }) => concerned.has(id)).map(toPerson),
    dataSources: dataSources.all.map(toDataSource),
    roles: await Promise.all(
      [...inRole].map(async ([id, members]) => ({
        key: id,
        name: roles.byId.get(id)?.name ?? id,
        people: members,
        dataSources: (await view.roleDataSources(id)).all.map(({ id: key }) => ({ key })),
      })),
    ),
    permissions: permissions.all.filter(({ person }) => concerned.has(person.id)).map(toPermission),
  };
}

const changesAllMembers = ({ operation }: Step): boolean =>
  operation === 'deleteRole' || operation.endsWith('RoleDataSource');

function idsIn(steps: readonly Step[], parameter: string): string[] {
  return [
    ...new Set(
      steps
        .filter(touchesAccess)
        .map(({ params }) => idOf(params[parameter]))
        .filter((id) => id !== ''),
    ),
  ];
}
