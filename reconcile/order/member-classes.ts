import type { MemberStatus } from './access-steps.ts';
import type { StepGroups } from './step-groups.ts';

export interface Membership {
  readonly status: MemberStatus;
  /** The steps that add or remove the members of the class; -1 for those who are kept. */
  readonly group: number;
}

/**
 * People, or data sources, that are alike: in the same roles before and after. What holds for one of them holds for all, so
 * an organisation costs as much as it has different ones.
 */
export interface MemberClass {
  readonly index: number;
  readonly ids: readonly string[];
  /** By role. */
  readonly roles: ReadonlyMap<number, Membership>;
  /** The steps that end all of their access: a lock, a deletion of the data source; -1 where there is none. */
  readonly removal: number;
  /** The steps that let locked people in again; -1 where there is none. */
  readonly unlock: number;
}

/** One role's list of people or data sources. */
export interface RoleList {
  readonly before: ReadonlyMap<string, unknown> | undefined;
  readonly changed: ReadonlyMap<string, { status: MemberStatus; step: string }> | undefined;
  /** The group of the step that deletes the role. */
  readonly deletion: number | undefined;
  /** True if the role's other list changes, and so what its members reach. */
  readonly isOtherChanged: boolean;
}

export interface ClassesOptions {
  readonly groups: StepGroups;
  readonly isOut: (id: string) => boolean;
  /** Members that are not like any other, since a step is about one of their permissions. */
  readonly single: ReadonlySet<string>;
  readonly removals: ReadonlyMap<string, string>;
  readonly unlocks: ReadonlyMap<string, string>;
}

export interface Classes {
  readonly classes: readonly MemberClass[];
  /** The index of each member's class. */
  readonly indexOf: ReadonlyMap<string, number>;
}

const statuses = ['kept', 'added', 'removed'] as const satisfies readonly MemberStatus[];

/** Puts those together that are in the same roles before and after, and end or begin alike. */
export function classify(lists: readonly RoleList[], options: ClassesOptions): Classes {
  const { single, removals, unlocks } = options;
  const alike = Map.groupBy(profilesOf(lists, concernedIn(lists, options)), ([id, profile]) =>
    [single.has(id) ? id : '', removals.has(id), unlocks.has(id), profile.join()].join(' '),
  );
  const classes = [...alike.values()].map((members, index) => {
    const ids = members.map(([id]) => id);
    return makeClass({ index, ids, profile: members[0]?.[1] ?? [] }, lists, options);
  });
  return { classes, indexOf: new Map(classes.flatMap(({ index, ids }) => ids.map((id) => [id, index] as const))) };
}

/** The members whose access can change: those who come or go, and those in a role that changes on its other side. */
function concernedIn(lists: readonly RoleList[], { single, removals, unlocks, isOut }: ClassesOptions): Set<string> {
  const concerned = new Set<string>();
  for (const { before, changed, deletion, isOtherChanged } of lists) {
    for (const id of changed?.keys() ?? []) concerned.add(id);
    if (!isOtherChanged && deletion === undefined) continue;
    for (const id of before?.keys() ?? []) concerned.add(id);
  }
  for (const ids of [single, removals.keys(), unlocks.keys()]) for (const id of ids) concerned.add(id);
  for (const id of concerned) if (isOut(id)) concerned.delete(id);
  return concerned;
}

/** For each member, its roles and how it is in them: three numbers for each role. */
function profilesOf(lists: readonly RoleList[], concerned: ReadonlySet<string>): Map<string, number[]> {
  const profiles = new Map<string, number[]>([...concerned].map((id) => [id, []]));
  for (const [role, { before, changed, deletion }] of lists.entries()) {
    for (const id of before?.keys() ?? []) {
      const isRemoved = deletion !== undefined || changed?.get(id)?.status === 'removed';
      profiles.get(id)?.push(role * 3 + statuses.indexOf(isRemoved ? 'removed' : 'kept'));
    }
    for (const [id, { status }] of changed ?? []) {
      if (before?.has(id) !== true) profiles.get(id)?.push(role * 3 + statuses.indexOf(status));
    }
  }
  return profiles;
}

function makeClass(
  { index, ids, profile }: { index: number; ids: readonly string[]; profile: readonly number[] },
  lists: readonly RoleList[],
  { groups, removals, unlocks }: ClassesOptions,
): MemberClass {
  const owner = groups.newOwner();
  const groupOf = (stepOf: (id: string) => string | undefined): number =>
    groups.add(
      ids.flatMap((id) => stepOf(id) ?? []),
      owner,
    );
  const every = (steps: ReadonlyMap<string, string>): number =>
    steps.has(ids[0] ?? '') ? groupOf((id) => steps.get(id)) : -1;
  const roles = new Map<number, Membership>();
  for (const entry of profile) {
    const role = Math.floor(entry / 3);
    const status = statuses[entry % 3] ?? 'kept';
    const { deletion, changed } = lists[role] ?? {};
    roles.set(role, { status, group: status === 'kept' ? -1 : (deletion ?? groupOf((id) => changed?.get(id)?.step)) });
  }
  return { index, ids, roles, removal: every(removals), unlock: every(unlocks) };
}
