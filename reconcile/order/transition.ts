import { idOf, type Step } from '../model/step.ts';
import { grantState } from '../view/access.ts';
import type { View } from '../view/view.ts';
import { type LaterMembership, MembershipTimes, skewMs } from './membership-times.ts';
import { StepGroups } from './step-groups.ts';

/** How a member is in a role: before and after the plan, only after it, or only before. */
export type Stay = 'kept' | 'added' | 'removed';

export interface Membership {
  readonly stay: Stay;
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
  /** The steps that end all of their access: a lock, a deletion; -1 where there is none. */
  readonly exit: number;
  /** The steps that let locked people in again; -1 where there is none. */
  readonly unlock: number;
}

export interface RoleMembers {
  /** By the index of the class. */
  readonly people: ReadonlyMap<number, Membership>;
  readonly dataSources: ReadonlyMap<number, Membership>;
}

/** What a plan does to who reaches what. People who are locked before and after are left out, as they reach nothing. */
export interface Transition {
  readonly people: readonly MemberClass[];
  readonly dataSources: readonly MemberClass[];
  readonly roles: readonly RoleMembers[];
  readonly groups: StepGroups;
  /** The steps that end a permission which is active now, by `pairOf` its person and data source. */
  readonly ended: ReadonlyMap<number, readonly number[]>;
  /** The data sources of these permissions, by person. */
  readonly endedFor: ReadonlyMap<number, readonly number[]>;
  /** The steps that grant one. */
  readonly granted: ReadonlyMap<number, number>;
  /** Steps that end a permission which has not begun yet. */
  readonly neverBegun: readonly { readonly pair: number; readonly group: number }[];
  /** Memberships that give nothing yet, which a step makes or ends before their time comes. */
  readonly later: readonly {
    readonly person: number;
    readonly role: number;
    readonly stay: 'added' | 'removed';
    readonly group: number;
  }[];
  /** The number of a pair of classes. */
  readonly pairOf: (person: number, dataSource: number) => number;
}

const giving = new Set<string>([
  'addRolePerson',
  'setRolePersonWindows',
  'addRoleDataSource',
  'createPermission',
  'unlockPerson',
]);
const taking = new Set<string>([
  'removeRolePerson',
  'removeRoleDataSource',
  'deleteRole',
  'deletePermission',
  'lockPerson',
  'deletePerson',
  'deleteDataSource',
]);

/** Whether a step takes access away. Other times for a membership that is there may. */
export const isTaking = ({ operation, effect }: Step): boolean =>
  taking.has(operation) || (operation === 'setRolePersonWindows' && effect === 'change');

/** Whether steps both give and take access: only then can their order matter to anyone. */
export function isMixed(steps: readonly Step[]): boolean {
  return steps.some(({ operation }) => giving.has(operation)) && steps.some(isTaking);
}

/** Steps that add or remove members of one kind, by role and member. */
export type MemberSteps = ReadonlyMap<string, ReadonlyMap<string, { stay: Stay; step: string }>>;

/** @param stayOf what a step does; undefined: nothing now. Default: by its operation */
export function memberSteps(
  steps: readonly Step[],
  kind: 'Person' | 'DataSource',
  stayOf: (step: Step) => Stay | undefined = byOperation,
): MemberSteps {
  const parameter = kind === 'Person' ? 'person' : 'dataSource';
  const byRole = new Map<string, Map<string, { stay: Stay; step: string }>>();
  for (const step of steps) {
    const { id, operation, params } = step;
    if (!/Role(Person|DataSource)/.test(operation) || params[parameter] === undefined) continue;
    const stay = stayOf(step);
    if (stay === undefined) continue;
    const role = idOf(params['role']);
    const own = byRole.get(role) ?? new Map<string, { stay: Stay; step: string }>();
    byRole.set(role, own);
    own.set(idOf(params[parameter]), { stay, step: id });
  }
  return byRole;
}

const byOperation = ({ operation }: Step): Stay => (operation.startsWith('remove') ? 'removed' : 'added');

/** The steps of one operation by the id in one of their parameters. */
export function stepsBy(steps: readonly Step[], operation: Step['operation'], parameter: string): Map<string, string> {
  return new Map(
    steps.flatMap((step) => (step.operation === operation ? [[idOf(step.params[parameter]), step.id] as const] : [])),
  );
}

/** Reads the transition from the steps and from what the view has of the lists of roles. Linear in both. */
export function readTransition(steps: readonly Step[], view: View, now: Date): Transition {
  const times = new MembershipTimes(view, now);
  const inRoles = {
    people: memberSteps(steps, 'Person', (step) => times.stayOf(step)),
    dataSources: memberSteps(steps, 'DataSource'),
  };
  const upcoming = steps.flatMap((step) => times.laterOf(step));
  const deletedRoles = stepsBy(steps, 'deleteRole', 'role');
  const permissions = permissionSteps(steps, view, now);
  const unlocks = stepsBy(steps, 'unlockPerson', 'person');
  const locks = stepsBy(steps, 'lockPerson', 'person');
  const isLocked = (person: string): boolean => view.peek('people')?.byId.get(person)?.isLocked === true;
  const groups = new StepGroups();
  const roleIds = [
    ...new Set([
      ...(view.peek('roles')?.byId.keys() ?? []),
      ...inRoles.people.keys(),
      ...inRoles.dataSources.keys(),
      ...deletedRoles.keys(),
    ]),
  ];
  const deletions = new Map([...deletedRoles].map(([role, step]) => [role, groups.add([step])] as const));
  const classesOf = (kind: 'people' | 'dataSources', more: Omit<ClassesOptions, 'roleIds' | 'deletions' | 'groups'>) =>
    classify(
      roleIds.map((role) => ({
        before: kind === 'people' ? times.membersOf(role) : view.peek(`roleDataSources ${role}`)?.byId,
        changed: inRoles[kind].get(role),
      })),
      { ...more, roleIds, deletions, groups },
    );
  const people = classesOf('people', {
    concerned: concernedIn(roleIds, inRoles.people, inRoles.dataSources, deletedRoles, (role) =>
      times.membersOf(role)?.keys(),
    ),
    isOut: (person) => isLocked(person) && !unlocks.has(person),
    single: new Set([...permissions, ...upcoming].map(({ person }) => person)),
    exits: locks,
    unlocks,
  });
  const dataSources = classesOf('dataSources', {
    concerned: concernedIn(roleIds, inRoles.dataSources, inRoles.people, deletedRoles, (role) =>
      view.peek(`roleDataSources ${role}`)?.byId.keys(),
    ),
    isOut: () => false,
    single: new Set(permissions.map(({ dataSource }) => dataSource)),
    exits: stepsBy(steps, 'deleteDataSource', 'dataSource'),
    unlocks: new Map(),
  });
  const pairOf = (person: number, dataSource: number): number => person * (dataSources.classes.length + 1) + dataSource;
  const ended = new Map<number, number[]>();
  const endedFor = new Map<number, number[]>();
  const granted = new Map<number, number>();
  const neverBegun: { pair: number; group: number }[] = [];
  for (const { person, dataSource, step, change } of permissions) {
    const [one, other] = [people.indexOf.get(person), dataSources.indexOf.get(dataSource)];
    if (one === undefined || other === undefined) continue;
    const pair = pairOf(one, other);
    if (change === 'granted') granted.set(pair, groups.add([step]));
    else if (change === 'neverBegun') neverBegun.push({ pair, group: groups.add([step]) });
    if (change !== 'ended') continue;
    ended.set(pair, [...(ended.get(pair) ?? []), groups.add([step])]);
    endedFor.set(one, [...(endedFor.get(one) ?? []), other]);
  }
  const roles = roleIds.map(() => ({
    people: new Map<number, Membership>(),
    dataSources: new Map<number, Membership>(),
  }));
  for (const { index, roles: own } of people.classes) {
    for (const [role, membership] of own) roles[role]?.people.set(index, membership);
  }
  for (const { index, roles: own } of dataSources.classes) {
    for (const [role, membership] of own) roles[role]?.dataSources.set(index, membership);
  }
  const laterOf = ({ person, role, step, stay }: LaterMembership): Transition['later'][number][] => {
    const index = people.indexOf.get(person);
    return index === undefined ? [] : [{ person: index, role: roleIds.indexOf(role), stay, group: groups.add([step]) }];
  };
  return {
    later: upcoming.flatMap(laterOf),
    people: people.classes,
    dataSources: dataSources.classes,
    roles,
    groups,
    ended,
    endedFor,
    granted,
    neverBegun,
    pairOf,
  };
}

interface PermissionStep {
  readonly person: string;
  readonly dataSource: string;
  readonly step: string;
  readonly change: 'granted' | 'ended' | 'neverBegun';
}

/** The permissions that steps grant or end, with who has them. One that is over gives nothing. */
function permissionSteps(steps: readonly Step[], view: View, now: Date): PermissionStep[] {
  // The service's clock may be ahead: what it granted a moment ago has begun.
  const soon = new Date(now.getTime() + skewMs);
  return steps.flatMap(({ id, operation, params }): PermissionStep[] => {
    if (operation === 'createPermission') {
      const [person, dataSource] = [idOf(params['person']), idOf(params['dataSource'])];
      return [{ person, dataSource, step: id, change: 'granted' }];
    }
    if (operation !== 'deletePermission') return [];
    const old = view.peek('permissions')?.byId.get(idOf(params['permission']));
    const state = old === undefined ? 'past' : grantState(old, soon);
    if (old === undefined || state === 'past') return [];
    const change = state === 'active' ? 'ended' : 'neverBegun';
    return [{ person: old.person.id, dataSource: old.dataSource.id, step: id, change }];
  });
}

/** The members whose access can change: those who come or go, and those in a role that changes on its other side. */
function concernedIn(
  roles: readonly string[],
  own: MemberSteps,
  others: MemberSteps,
  deleted: ReadonlyMap<string, string>,
  members: (role: string) => Iterable<string> | undefined,
): Set<string> {
  const concerned = new Set<string>();
  for (const role of roles) {
    for (const id of own.get(role)?.keys() ?? []) concerned.add(id);
    if (!others.has(role) && !deleted.has(role)) continue;
    for (const id of members(role) ?? []) concerned.add(id);
  }
  return concerned;
}

interface ClassesOptions {
  roleIds: readonly string[];
  /** The group of the step that deletes a role. */
  deletions: ReadonlyMap<string, number>;
  groups: StepGroups;
  concerned: Set<string>;
  isOut: (id: string) => boolean;
  /** Members that are not like any other, since a step is about one of their permissions. */
  single: ReadonlySet<string>;
  exits: ReadonlyMap<string, string>;
  unlocks: ReadonlyMap<string, string>;
}

interface RoleList {
  before: ReadonlyMap<string, unknown> | undefined;
  changed: ReadonlyMap<string, { stay: Stay; step: string }> | undefined;
}

const stays = ['kept', 'added', 'removed'] as const satisfies readonly Stay[];

/** Puts those together that are in the same roles before and after, and end or begin alike. */
function classify(lists: readonly RoleList[], options: ClassesOptions) {
  const { roleIds, deletions, groups, single, exits, unlocks, isOut } = options;
  const concerned = options.concerned.union(single).union(new Set(exits.keys())).union(new Set(unlocks.keys()));
  for (const id of concerned) if (isOut(id)) concerned.delete(id);
  const profiles = new Map<string, number[]>([...concerned].map((id) => [id, []]));
  for (const [role, { before, changed }] of lists.entries()) {
    const isDeleted = deletions.has(roleIds[role] ?? '');
    for (const id of before?.keys() ?? []) {
      profiles.get(id)?.push(role * 3 + (isDeleted || changed?.get(id)?.stay === 'removed' ? 2 : 0));
    }
    for (const [id, { stay }] of changed ?? []) {
      if (before?.has(id) !== true) profiles.get(id)?.push(role * 3 + stays.indexOf(stay));
    }
  }
  const alike = Map.groupBy(profiles, ([id, profile]) =>
    [single.has(id) ? id : '', exits.has(id), unlocks.has(id), profile.join()].join(' '),
  );
  const indexOf = new Map<string, number>();
  const classes = [...alike.values()].map((members, index): MemberClass => {
    const ids = members.map(([id]) => id);
    for (const id of ids) indexOf.set(id, index);
    const owner = groups.newOwner();
    const every = (steps: ReadonlyMap<string, string>): number =>
      steps.has(ids[0] ?? '')
        ? groups.add(
            ids.flatMap((id) => steps.get(id) ?? []),
            owner,
          )
        : -1;
    const roles = new Map<number, Membership>();
    for (const entry of members[0]?.[1] ?? []) {
      const role = Math.floor(entry / 3);
      const stay = stays[entry % 3] ?? 'kept';
      const steps = lists[role]?.changed;
      const deletion = deletions.get(roleIds[role] ?? '');
      if (stay === 'kept') roles.set(role, { stay, group: -1 });
      else
        roles.set(role, {
          stay,
          group:
            deletion ??
            groups.add(
              ids.flatMap((id) => steps?.get(id)?.step ?? []),
              owner,
            ),
        });
    }
    return { index, ids, roles, exit: every(exits), unlock: every(unlocks) };
  });
  return { classes, indexOf };
}
