import { idOf, type Parameter, type Step } from '../model/step.ts';
import { does, subjectOf, touchesAccess } from '../operations/table.ts';
import type { AccessFacts, AccessMember } from './access.ts';
import { readAccessFacts, readCollections, toDataSource, toMember, toPermission, toPerson } from './read-access.ts';
import type { View } from './view.ts';

/**
 * Reads what decides the access of the people whom a plan concerns, and nothing of the others: their roles, and what is in
 * those. Where they are more than there are roles, the members of all roles are read instead; where a data source goes, everything is.
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
  if (steps.some((step) => does(step, 'delete', 'data_source'))) return readAccessFacts(view);
  const isByRoles = concerned.size >= roles.all.length;
  const inRole = isByRoles ? await membersOf([...roles.byId.keys()], concerned, view) : await rolesOf(concerned, view);
  for (const id of touched) if (!inRole.has(id)) inRole.set(id, []);
  return {
    people: [...concerned].flatMap((id) => people.byId.get(id) ?? []).map(toPerson),
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

type InRole = Map<string, AccessMember[]>;

/** Those of some people who are in each role, read by roles. */
async function membersOf(roles: readonly string[], people: ReadonlySet<string>, view: View): Promise<InRole> {
  const inRole: InRole = new Map();
  for (const [role, members] of await Promise.all(
    roles.map(async (id) => [id, (await view.rolePeople(id)).byId] as const),
  )) {
    const matches = [...people.intersection(members)].flatMap((id) => members.get(id) ?? []);
    if (matches.length > 0) inRole.set(role, matches.map(toMember));
  }
  return inRole;
}

/** The same, read by people. */
async function rolesOf(people: ReadonlySet<string>, view: View): Promise<InRole> {
  const joined = await Promise.all([...people].map(async (key) => [key, await view.personRoles(key)] as const));
  const inRole: InRole = new Map();
  for (const [key, assignments] of joined) {
    for (const { id, windows } of assignments) {
      const members = inRole.get(id) ?? [];
      members.push({ key, ...(windows && { windows }) });
      inRole.set(id, members);
    }
  }
  return inRole;
}

const changesAllMembers = (step: Step): boolean =>
  does(step, 'delete', 'role') || subjectOf(step) === 'role_data_source';

function idsIn(steps: readonly Step[], parameter: Parameter): string[] {
  return [
    ...new Set(
      steps
        .filter(touchesAccess)
        .map(({ params }) => idOf(params[parameter]))
        .filter((id) => id !== ''),
    ),
  ];
}
