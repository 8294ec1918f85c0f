import type { Client } from '@rolecall/api';
import type { DesiredObject } from '@rolecall/reconcile';

/** The names in the workspace that the definitions speak of, as the API itself tells them. */
interface Facts {
  people: Map<string, { id: string; isLocked: boolean }>;
  /** By role: usernames and aliases. */
  roles: Map<string, { people: Set<string>; dataSources: Set<string> }>;
  aliases: Set<string>;
  /** `username alias end`. */
  grants: Set<string>;
  /** The texts of snippets by name. */
  texts: Map<string, string>;
}

/**
 * Compares what is declared with what the API says, without the engine: the demonstration does not let it mark its own
 * work.
 *
 * @returns what differs, in words
 */
export async function findDifferences(objects: readonly DesiredObject[], client: Client): Promise<string[]> {
  const facts = await readFacts(client);
  const now = new Date().toISOString();
  const wanted = new Set<string>();
  const differences = objects.flatMap((object): string[] => {
    switch (object.kind) {
      case 'Person':
        return unless(
          facts.people.get(object.username)?.isLocked === object.locked,
          `${object.username} is not as declared`,
        );
      case 'DataSource':
        return unless(facts.aliases.has(object.alias), `${object.alias} is missing`);
      case 'Snippet':
        return unless(
          facts.texts.get(object.snippet) === object.text,
          `the snippet ${object.snippet} is not as declared`,
        );
      case 'Role':
        return roleDifferences(object.role, object.people, object.dataSources, facts, objects);
      case 'RoleMembership': {
        const role = facts.roles.get(object.role);
        const isMember =
          object.member.kind === 'Person'
            ? role?.people.has(object.member.username)
            : role?.dataSources.has(object.member.alias);
        return unless(isMember === true, `${object.name} is missing`);
      }
      case 'Permission': {
        const grant = `${object.person} ${object.dataSource} ${object.expiresAt}`;
        wanted.add(grant);
        return unless(object.expiresAt <= now || facts.grants.has(grant), `${object.name} is not granted`);
      }
    }
  });
  const undeclared = [...facts.grants].filter((grant) => !wanted.has(grant)).map((grant) => `${grant} is not declared`);
  return [...differences, ...undeclared];
}

const unless = (isSo: boolean, difference: string): string[] => (isSo ? [] : [difference]);

function roleDifferences(
  name: string,
  people: readonly string[] | undefined,
  dataSources: readonly string[] | undefined,
  facts: Facts,
  objects: readonly DesiredObject[],
): string[] {
  const role = facts.roles.get(name);
  if (role === undefined) return [`the role ${name} is missing`];
  const added = objects.flatMap((object) =>
    object.kind === 'RoleMembership' && object.role === name ? [object.member] : [],
  );
  const addedPeople = added.flatMap((member) => (member.kind === 'Person' ? [member.username] : []));
  const addedSources = added.flatMap((member) => (member.kind === 'DataSource' ? [member.alias] : []));
  return [
    ...unless(people === undefined || isSame(role.people, [...people, ...addedPeople]), `${name} has other people`),
    ...unless(
      dataSources === undefined || isSame(role.dataSources, [...dataSources, ...addedSources]),
      `${name} has other data sources`,
    ),
  ];
}

const isSame = (one: ReadonlySet<string>, other: readonly string[]): boolean =>
  one.symmetricDifference(new Set(other)).size === 0;

async function readFacts(client: Client): Promise<Facts> {
  const people = await client.call('listPeople', {});
  const dataSources = await client.call('listDataSources', {});
  const permissions = await client.call('listPermissions', {});
  const snippets = await client.call('listSnippets', {});
  const roles: Facts['roles'] = new Map();
  for (const { id, name } of await client.call('listRoles', {})) {
    const params = { role: id };
    const members = await client.call('listRolePeople', { params });
    const reached = await client.call('listRoleDataSources', { params });
    roles.set(name, {
      people: new Set(members.map(({ username }) => username)),
      dataSources: new Set(reached.map(({ alias }) => alias ?? '')),
    });
  }
  return {
    people: new Map(people.map(({ username, ...person }) => [username, person])),
    roles,
    aliases: new Set(dataSources.map(({ alias }) => alias ?? '')),
    grants: new Set(
      permissions.map(
        ({ person, dataSource, expiresAt }) => `${person.username} ${dataSource.alias ?? ''} ${expiresAt}`,
      ),
    ),
    texts: new Map(snippets.map(({ activeVersion: { name, text } }) => [name, text])),
  };
}
