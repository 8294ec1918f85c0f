import type { Client } from '@rolecall/api';

/** Everything that a workspace holds, by natural keys, so that two workspaces can be compared. */
export async function dump(client: Client): Promise<unknown> {
  const [people, roles, dataSources, permissions, snippets] = await Promise.all([
    client.call('listPeople', {}),
    client.call('listRoles', {}),
    client.call('listDataSources', {}),
    client.call('listPermissions', {}),
    client.call('listSnippets', {}),
  ]);
  return {
    people: sorted(people.map(({ username, name, email, isLocked }) => [username, name, email, isLocked])),
    roles: sorted(
      await Promise.all(
        roles.map(async ({ id, name }) => {
          const [members, sources] = await Promise.all([
            client.call('listRolePeople', { params: { role: id } }),
            client.call('listRoleDataSources', { params: { role: id } }),
          ]);
          return [name, sorted(members.map(({ username }) => username)), sorted(sources.map(({ alias }) => alias))];
        }),
      ),
    ),
    dataSources: sorted(
      await Promise.all(
        dataSources.map(async ({ id, alias, name }) => {
          const { configUri } = await client.call('getDataSourceDetail', { params: { dataSource: id } });
          return [alias, name, configUri];
        }),
      ),
    ),
    permissions: sorted(
      permissions.map(({ person, dataSource, startsAt, expiresAt }) => [
        person.username,
        dataSource.alias,
        startsAt,
        expiresAt,
      ]),
    ),
    snippets: sorted(
      await Promise.all(
        snippets.map(async ({ id, activeVersion, ownerPerson, ownerRole, isLocked, publicAccessLevel }) => {
          const versions = await client.call('listSnippetVersions', { params: { snippet: id } });
          const owner = ownerPerson?.username ?? ownerRole?.name ?? null;
          const texts = sorted(versions.map(({ name, text }) => [name, text]));
          return [owner, activeVersion.name, activeVersion.text, isLocked, publicAccessLevel, texts];
        }),
      ),
    ),
  };
}

/**
 * Who reaches what right now, as the service itself says: `ada billing`.
 *
 * @param before ids of people who are named by them: they may be renamed
 */
export async function access(client: Client, before: ReadonlySet<string> = new Set()): Promise<Set<string>> {
  const people = (await client.call('listPeople', {})).filter(({ isLocked }) => !isLocked);
  const reached = await Promise.all(
    people.map(async ({ id, username }) => {
      const sources = await client.call('listPersonDataSources', { params: { person: id } });
      const person = before.has(id) ? id : username;
      return sources.map(({ alias }) => `${person} ${alias ?? ''}`);
    }),
  );
  return new Set(reached.flat());
}

function sorted<T>(values: readonly T[]): T[] {
  return values
    .map((value) => [JSON.stringify(value), value] as const)
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([, value]) => value);
}
