import type { MembershipWindow } from '@rolecall/api';

/**
 * The facts that decide who reaches what, as plain data. Keys are opaque: ids, the names of references that a plan will make, or natural
 * keys, as long as one set of facts uses them throughout. So the facts of a plan's end state can be made from those of its beginning.
 */
export interface AccessFacts {
  readonly people: readonly AccessPerson[];
  readonly dataSources: readonly AccessDataSource[];
  readonly roles: readonly AccessRole[];
  readonly permissions: readonly AccessPermission[];
}

export interface AccessPerson {
  readonly key: string;
  readonly username: string;
  readonly name: string;
  /** Keeps the person out of the workspace, whatever is granted. */
  readonly isLocked: boolean;
}

export interface AccessDataSource {
  readonly key: string;
  readonly alias: string | null;
  readonly name: string;
}

export interface AccessRole {
  readonly key: string;
  readonly name: string;
  readonly people: readonly AccessMember[];
  readonly dataSources: readonly AccessMember[];
}

/** A person or data source that is in a role. */
export interface AccessMember {
  readonly key: string;
  /** Since when, ISO 8601; absent where it is not known, and then it counts as always. */
  readonly assignedAt?: string;
  /** The times at which a person has the role. If omitted, always. */
  readonly windows?: readonly MembershipWindow[];
}

export interface AccessPermission {
  readonly key: string;
  /** The key of the person. */
  readonly person: string;
  /** The key of the data source. */
  readonly dataSource: string;
  /** ISO 8601; the moment itself belongs to the window. */
  readonly startsAt: string;
  /** ISO 8601; the moment itself is outside of the window. */
  readonly expiresAt: string;
}

/** The source of access: a role, while one is in it, or a permission. */
export type Way =
  | { readonly kind: 'role'; readonly role: string }
  | { readonly kind: 'permission'; readonly permission: string };

/** One way by which one person reaches one data source, and its window. A lock of the person is not considered here. */
export interface Grant {
  /** The key of the person. */
  readonly person: string;
  /** The key of the data source. */
  readonly dataSource: string;
  readonly way: Way;
  /** ISO 8601; absent where it is not known: then it began before anything that is known. */
  readonly startsAt?: string;
  /** ISO 8601; absent: until the person or the data source leaves the role, whose time has no end. */
  readonly expiresAt?: string;
  /** The moment at which the way through a role opens by itself, ISO 8601. If omitted, it is open since both were in the role. */
  readonly opensAt?: string;
}

export type GrantState = 'past' | 'active' | 'future';

/** Everything by which one person reaches one data source at a moment. */
export interface Access {
  readonly person: string;
  readonly dataSource: string;
  /** At least one; roles before permissions. */
  readonly grants: readonly Grant[];
}

/**
 * Every grant there is, past, active and future, person by person in the order of the facts; roles before permissions.
 * What refers to a person or data source that the facts do not have gives nothing: it went while they were read.
 */
export function* listGrants(facts: AccessFacts): Generator<Grant> {
  const dataSources = new Set(facts.dataSources.map(({ key }) => key));
  const rolesOf = indexRoles(facts.roles);
  const permissionsOf = Map.groupBy(facts.permissions, ({ person }) => person);
  for (const { key } of facts.people) {
    for (const { role, assignedAt, windows = always } of rolesOf.get(key) ?? []) {
      for (const reached of role.dataSources) {
        if (!dataSources.has(reached.key)) continue;
        const since = later(assignedAt, reached.assignedAt);
        for (const window of windows) {
          const startsAt = later(since, window.startsAt);
          yield {
            person: key,
            dataSource: reached.key,
            way: { kind: 'role', role: role.key },
            ...(startsAt === undefined ? {} : { startsAt }),
            ...(window.expiresAt === undefined ? {} : { expiresAt: window.expiresAt }),
            ...(window.startsAt === undefined ? {} : { opensAt: window.startsAt }),
          };
        }
      }
    }
    for (const { key: permission, dataSource, startsAt, expiresAt } of permissionsOf.get(key) ?? []) {
      if (!dataSources.has(dataSource)) continue;
      yield { person: key, dataSource, way: { kind: 'permission', permission }, startsAt, expiresAt };
    }
  }
}

/** The only window of a person who has a role without an end. */
const always: readonly MembershipWindow[] = [{}];

/** Places a moment in a grant's window, to which its start belongs and its end does not. */
export function grantState({ startsAt, expiresAt }: Pick<Grant, 'startsAt' | 'expiresAt'>, at: Date): GrantState {
  const time = at.getTime();
  if (expiresAt !== undefined && Date.parse(expiresAt) <= time) return 'past';
  return startsAt !== undefined && Date.parse(startsAt) > time ? 'future' : 'active';
}

/**
 * Lists who reaches what at one moment. Locked people reach nothing. Access by a role counts since both were in it; a workspace knows neither
 * former members nor deleted permissions, nor since when a person is locked.
 *
 * @returns each person and data source at most once, in the order of the facts
 */
export function effectiveAccess(facts: AccessFacts, at: Date): Access[] {
  const locked = new Set(facts.people.filter(({ isLocked }) => isLocked).map(({ key }) => key));
  const active = listGrants(facts).filter((grant) => !locked.has(grant.person) && grantState(grant, at) === 'active');
  const byPerson = Map.groupBy(active, ({ person }) => person);
  return [...byPerson].flatMap(([person, grants]) =>
    [...Map.groupBy(grants, ({ dataSource }) => dataSource)].map(([dataSource, ways]) => ({
      person,
      dataSource,
      grants: ways,
    })),
  );
}

function indexRoles(roles: readonly AccessRole[]): Map<string, (AccessMember & { role: AccessRole })[]> {
  return Map.groupBy(
    roles.flatMap((role) => role.people.map((member) => ({ ...member, role }))),
    ({ key }) => key,
  );
}

/** One is let in once both are there. Where one of the two times is not known, the other is the least that is. */
function later(time: string | undefined, other: string | undefined): string | undefined {
  if (time === undefined || other === undefined) return time ?? other;
  return Date.parse(time) >= Date.parse(other) ? time : other;
}
