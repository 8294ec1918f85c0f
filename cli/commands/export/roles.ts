import { roleKey } from '@rolecall/reconcile';
import { distinct, sameSpelling } from './distinct.ts';
import { type ExportedDocument, emptyPart, faultOf, type LeftOut, type Part, quoted } from './document.ts';
import { allocateNames, firstFree, inOrder, readableName } from './names.ts';
import type { Snapshot, SnapshotRole } from './snapshot.ts';

/** The names of people and data sources in definitions, by id; an object that is missing here cannot be declared. */
export interface References {
  people: ReadonlyMap<string, string>;
  dataSources: ReadonlyMap<string, string>;
}

export interface RoleNames {
  /** The metadata.name of each role that can be declared, by id. */
  names: Map<string, string>;
  leftOut: LeftOut[];
}

/** Names the roles, before people are placed by them. */
export function nameRoles(roles: readonly SnapshotRole[]): RoleNames {
  const { unique, leftOut } = distinct(roles, ({ name }) => roleKey(name), describeRole, sameSpelling);
  const named = allocateNames(
    unique.map(({ id, name, createdAt }) => ({ id, naturalKey: name, sources: [name], createdAt })),
    (name) => name,
    'role',
  );
  const names = new Map<string, string>();
  for (const role of unique) {
    const name = named.get(role.id) ?? role.name;
    const fault = faultOf({ kind: 'Role', name, spec: { name: role.name } });
    if (fault === undefined) names.set(role.id, name);
    else leftOut.push({ what: describeRole(role), ...fault });
  }
  return { names, leftOut };
}

/** Declares the roles, each in its own file, with exactly its members; those who have it for a time in memberships of their own. */
export function composeRoles(
  { roles }: Pick<Snapshot, 'roles'>,
  { names, leftOut }: RoleNames,
  references: References,
): Part {
  const composed = emptyPart();
  composed.leftOut.push(...leftOut);
  const taken = new Set<string>();
  for (const role of roles) {
    const name = names.get(role.id);
    if (name === undefined) continue;
    const inTurn = role.turns.map(({ person }) => person);
    const people = membersOf(role.people, references.people, inTurn);
    const dataSources = membersOf(role.dataSources, references.dataSources);
    const file = `roles/${name}.yaml`;
    const document: ExportedDocument = {
      kind: 'Role',
      name,
      spec: { name: role.name === name ? undefined : role.name, people: people.list, dataSources: dataSources.list },
      ...commentOf(people, dataSources),
    };
    composed.placed.push({ file, document });
    const additions = [
      ...(people.additions ?? []).map((person) => ({ person })),
      ...(dataSources.additions ?? []).map((dataSource) => ({ dataSource })),
      ...role.turns.flatMap(({ person: id, window }) => {
        const person = references.people.get(id);
        return person === undefined ? [] : [{ person, ...window }];
      }),
    ];
    for (const member of additions) {
      const who = 'person' in member ? member.person : member.dataSource;
      const base = `${readableName(who) || 'data-source'}-${name}`;
      const free = firstFree(base, (candidate) => !taken.has(candidate));
      taken.add(free);
      composed.placed.push({ file, document: { kind: 'RoleMembership', name: free, spec: { role: name, ...member } } });
    }
  }
  return composed;
}

/** A whole list; or single additions if the list would remove a member who cannot be declared. */
interface Members {
  list?: string[];
  additions?: string[];
}

/** @param others who are members too, but not in the list */
function membersOf(
  ids: readonly string[],
  references: ReadonlyMap<string, string>,
  others: readonly string[] = [],
): Members {
  const names = ids.flatMap((id) => references.get(id) ?? []).sort(inOrder);
  const canDeclareAll = [...ids, ...others].every((id) => references.has(id));
  return canDeclareAll ? { list: names } : { additions: names };
}

function commentOf(people: Members, dataSources: Members): Pick<ExportedDocument, 'comment'> {
  const lists = [
    ...(people.list === undefined ? ['people'] : []),
    ...(dataSources.list === undefined ? ['data sources'] : []),
  ].join(' and no list of ');
  if (lists === '') return {};
  return {
    comment: [
      `No list of ${lists}: the role has members that could not be declared, and a list would`,
      'remove them. RoleMemberships add those that could.',
    ],
  };
}

function describeRole({ name }: { name: string }): string {
  return `Role ${quoted(name)}`;
}
