import type { Client } from '@rolecall/api';
import type { DesiredObject, DesiredPerson, DesiredRole } from '@rolecall/reconcile';
import { claim } from './stage.ts';

/** Changes that someone makes in the workspace but not in Git: usernames, role names and aliases. */
export interface Drift {
  locked: string;
  removed: { person: string; role: string };
  added: { person: string; role: string };
  granted: { person: string; dataSource: string };
}

/** Chooses four changes that the definitions will not put up with, and that do not cancel each other out. */
export function chooseDrift(objects: readonly DesiredObject[]): Drift {
  const people = objects.filter((object): object is DesiredPerson => object.kind === 'Person' && !object.locked);
  const roles = objects.filter((object): object is DesiredRole => object.kind === 'Role');
  const exact = roles.filter(({ people: members = [] }) => members.length > 0);
  const [from] = exact;
  const into = exact.at(-1);
  const person = from?.people?.[0];
  claim(
    from !== undefined && into !== undefined && person !== undefined,
    'the example has no role with a list of people',
  );
  const members = new Set([...(into.people ?? []), ...additionsTo(into.role, objects), person]);
  const outsider = people.find(({ username }) => !members.has(username));
  const dataSource = objects.find((object) => object.kind === 'DataSource');
  const [other] = people.filter(({ username }) => username !== outsider?.username && username !== person);
  claim(outsider !== undefined && dataSource !== undefined && other !== undefined, 'the example has too few people');
  return {
    locked: other.username,
    removed: { person, role: from.role },
    added: { person: outsider.username, role: into.role },
    granted: { person: outsider.username, dataSource: dataSource.alias },
  };
}

function additionsTo(role: string, objects: readonly DesiredObject[]): string[] {
  return objects.flatMap((object) =>
    object.kind === 'RoleMembership' && object.role === role && object.member.kind === 'Person'
      ? [object.member.username]
      : [],
  );
}

/** Makes the changes, by calls of the API that no definition knows of. */
export async function makeDrift({ locked, removed, added, granted }: Drift, client: Client): Promise<void> {
  const people = new Map((await client.call('listPeople', {})).map(({ id, username }) => [username, id]));
  const roles = new Map((await client.call('listRoles', {})).map(({ id, name }) => [name, id]));
  const dataSources = new Map((await client.call('listDataSources', {})).map(({ id, alias }) => [alias ?? '', id]));
  const person = (username: string): string => found(people, username);
  const role = (name: string): string => found(roles, name);
  await client.call('lockPerson', { params: { person: person(locked) } });
  await client.call('removeRolePerson', { params: { role: role(removed.role), person: person(removed.person) } });
  await client.call('addRolePerson', { params: { role: role(added.role), person: person(added.person) } });
  await client.call('createPermission', {
    params: { person: person(granted.person), dataSource: found(dataSources, granted.dataSource) },
    body: { duration: 86_400 },
  });
}

function found(ids: ReadonlyMap<string, string>, name: string): string {
  const id = ids.get(name);
  claim(id !== undefined, `${name} is not in the workspace`);
  return id;
}
