import type { Person } from '@rolecall/api';
import { personKey } from '@rolecall/reconcile';
import { distinct, sameSpelling } from './distinct.ts';
import { type ExportedDocument, emptyPart, faultOf, type Part, quoted } from './document.ts';
import { allocateNames, inOrder } from './names.ts';
import type { Snapshot, SnapshotRole } from './snapshot.ts';

export interface People extends Part {
  /** The metadata.name of each declared person, by id. */
  references: Map<string, string>;
}

/**
 * Declares the people. Each file is a team: a person goes with the smallest of their roles, which comes closest to one.
 * Locked people have a file of their own.
 *
 * @param roleNames the metadata.name of each role, by id
 */
export function composePeople(
  { people, roles }: Pick<Snapshot, 'people' | 'roles'>,
  roleNames: ReadonlyMap<string, string>,
): People {
  const { unique, leftOut } = distinct(people, ({ username }) => personKey(username), describePerson, sameSpelling);
  const names = allocateNames(
    unique.map(({ id, username, email, createdAt }) => ({
      id,
      naturalKey: username,
      sources: [username, email.split('@', 1)[0] ?? ''],
      createdAt,
    })),
    (username) => username.toLowerCase(),
    'person',
  );
  const teams = indexTeams(roles, roleNames);
  const composed: People = { ...emptyPart(), references: new Map() };
  composed.leftOut.push(...leftOut);
  for (const person of unique) {
    const document = declare(person, names.get(person.id) ?? person.username);
    const fault = faultOf(document);
    if (fault === undefined) {
      composed.references.set(person.id, document.name);
      composed.placed.push({ file: fileOf(person, teams), document });
    } else composed.leftOut.push({ what: describePerson(person), ...fault });
  }
  return composed;
}

function declare({ username, name: fullName, email, isLocked }: Person, name: string): ExportedDocument {
  return {
    kind: 'Person',
    name,
    spec: {
      username: username === name ? undefined : username,
      name: fullName,
      email,
      locked: isLocked ? true : undefined,
    },
  };
}

/** An underscore keeps these apart from roles, whose names have none. */
function fileOf({ id, isLocked }: Person, teams: ReadonlyMap<string, string>): string {
  return `people/${isLocked ? '_locked' : (teams.get(id) ?? '_without-role')}.yaml`;
}

function indexTeams(roles: readonly SnapshotRole[], roleNames: ReadonlyMap<string, string>): Map<string, string> {
  const named = roles.flatMap((role) => {
    const name = roleNames.get(role.id);
    return name === undefined ? [] : [{ name, people: role.people }];
  });
  const smallestLast = named.sort((a, b) => b.people.length - a.people.length || inOrder(b.name, a.name));
  return new Map(smallestLast.flatMap(({ name, people }) => people.map((person) => [person, name] as const)));
}

function describePerson({ username }: Person): string {
  return `Person ${quoted(username)}`;
}
