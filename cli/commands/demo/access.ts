import type { Client } from '@rolecall/api';

/** One person's access to one data source at one moment. */
export interface Access {
  person: string;
  isLocked: boolean;
  dataSource: string;
  ways: Way[];
}

/** Through a role as long as one is in it, or by a permission until it ends. */
export type Way = { role: string } | { until: string };

/** Asks the service for each person which data sources they reach now, and finds out through what. */
export async function readAccess(client: Client, now: Date): Promise<Access[]> {
  const permissions = await client.call('listPermissions', {});
  const sourcesOf = new Map<string, Set<string>>();
  for (const { id } of await client.call('listRoles', {})) {
    const sources = await client.call('listRoleDataSources', { params: { role: id } });
    sourcesOf.set(id, new Set(sources.map((source) => source.id)));
  }
  const access: Access[] = [];
  for (const { id, username, isLocked } of await client.call('listPeople', {})) {
    const roles = await client.call('listPersonRoles', { params: { person: id } });
    const active = permissions.filter(
      ({ person, startsAt, expiresAt }) => person.id === id && isActive(startsAt, expiresAt, now),
    );
    for (const source of await client.call('listPersonDataSources', { params: { person: id } })) {
      const throughRoles = roles.filter((role) => sourcesOf.get(role.id)?.has(source.id));
      const byPermission = active.filter(({ dataSource }) => dataSource.id === source.id);
      const ways = [
        ...throughRoles.map(({ name }) => ({ role: name })),
        ...byPermission.map(({ expiresAt }) => ({ until: expiresAt })),
      ];
      access.push({ person: username, isLocked, dataSource: source.alias ?? source.name, ways });
    }
  }
  return access.sort((a, b) => a.person.localeCompare(b.person) || a.dataSource.localeCompare(b.dataSource));
}

function isActive(startsAt: string, expiresAt: string, now: Date): boolean {
  return Date.parse(startsAt) <= now.getTime() && now.getTime() < Date.parse(expiresAt);
}
