import type { Step } from '../model/step.ts';
import { isRepointing } from '../operations/table.ts';
import type { View } from '../view/view.ts';
import { type MemberStatus, memberSteps, type PermissionStep, permissionSteps, stepsOn } from './access-steps.ts';
import { type Classes, classify, type MemberClass, type Membership } from './member-classes.ts';
import { type LaterMembership, MembershipTimes } from './membership-times.ts';
import { StepGroups } from './step-groups.ts';

export interface RoleMembers {
  /** By the index of the class. */
  readonly people: ReadonlyMap<number, Membership>;
  readonly dataSources: ReadonlyMap<number, Membership>;
}

/** A plan's changes to who reaches what. People who are locked before and after are left out, as they reach nothing. */
export interface Transition {
  readonly people: readonly MemberClass[];
  readonly dataSources: readonly MemberClass[];
  readonly roles: readonly RoleMembers[];
  readonly groups: StepGroups;
  /** The steps that end a permission which is active now, by `pairOf` its person and data source. */
  readonly ended: ReadonlyMap<number, readonly number[]>;
  /** The data sources of these permissions, by person. */
  readonly endedFor: ReadonlyMap<number, readonly number[]>;
  /** A step that grants one which holds at once. */
  readonly granted: ReadonlyMap<number, number>;
  /** All steps that grant one, whatever its window. */
  readonly grants: ReadonlyMap<number, readonly number[]>;
  /** The people of all these permissions. */
  readonly permitted: ReadonlySet<number>;
  /** Steps that end a permission, each with a step that grants one of the same pair, whatever the windows of both. */
  readonly renewed: readonly { readonly end: number; readonly grant: number }[];
  /** Steps that lead a data source to another database. */
  readonly repointed: readonly { readonly dataSource: number; readonly group: number }[];
  /** Memberships that give nothing yet, which a step makes or ends before their time comes. */
  readonly later: readonly {
    readonly person: number;
    readonly role: number;
    readonly status: Exclude<MemberStatus, 'kept'>;
    readonly group: number;
  }[];
  /** The number of a pair of classes. */
  readonly pairOf: (person: number, dataSource: number) => number;
}

/** Reads the transition from the steps and from what the view has of the lists of roles. Linear in both. */
export function readTransition(steps: readonly Step[], view: View, now: Date): Transition {
  const groups = new StepGroups();
  const times = new MembershipTimes(view, now);
  const permissions = permissionSteps(steps, view, now);
  const upcoming = steps.flatMap((step) => times.laterOf(step));
  const inPeople = memberSteps(steps, 'person', (step) => times.statusOf(step));
  const inDataSources = memberSteps(steps, 'dataSource');
  const repointing = stepsOn(steps.filter(isRepointing), 'edit', 'data_source');
  const deletedRoles = stepsOn(steps, 'delete', 'role');
  const currentRoles = view.peek('roles')?.byId.keys() ?? [];
  const roleIds = [...new Set([...currentRoles, ...inPeople.keys(), ...inDataSources.keys(), ...deletedRoles.keys()])];
  const deletions = new Map([...deletedRoles].map(([role, step]) => [role, groups.add([step])] as const));
  const unlocks = stepsOn(steps, 'unlock', 'person');
  const people = classify(
    roleIds.map((role) => ({
      before: times.membersOf(role),
      changed: inPeople.get(role),
      deletion: deletions.get(role),
      isOtherChanged: inDataSources.has(role),
    })),
    {
      groups,
      isOut: (person) => view.peek('people')?.byId.get(person)?.isLocked === true && !unlocks.has(person),
      single: new Set([...permissions, ...upcoming].map(({ person }) => person)),
      removals: stepsOn(steps, 'lock', 'person'),
      unlocks,
    },
  );
  const dataSources = classify(
    roleIds.map((role) => ({
      before: view.peek(`roleDataSources ${role}`)?.byId,
      changed: inDataSources.get(role),
      deletion: deletions.get(role),
      isOtherChanged: inPeople.has(role),
    })),
    {
      groups,
      isOut: () => false,
      single: new Set([...permissions.map(({ dataSource }) => dataSource), ...repointing.keys()]),
      removals: stepsOn(steps, 'delete', 'data_source'),
      unlocks: new Map(),
    },
  );
  return {
    people: people.classes,
    dataSources: dataSources.classes,
    roles: membersOfRoles(roleIds, people, dataSources),
    groups,
    ...permissionChanges(permissions, people, dataSources, groups),
    repointed: [...repointing].flatMap(([id, step]) => {
      const dataSource = dataSources.indexOf.get(id);
      return dataSource === undefined ? [] : [{ dataSource, group: groups.add([step]) }];
    }),
    later: laterMemberships(upcoming, people, roleIds, groups),
  };
}

function membersOfRoles(roleIds: readonly string[], people: Classes, dataSources: Classes): RoleMembers[] {
  const roles = roleIds.map(() => ({
    people: new Map<number, Membership>(),
    dataSources: new Map<number, Membership>(),
  }));
  for (const [side, { classes }] of [
    ['people', people],
    ['dataSources', dataSources],
  ] as const) {
    for (const { index, roles: memberships } of classes) {
      for (const [role, membership] of memberships) roles[role]?.[side].set(index, membership);
    }
  }
  return roles;
}

function permissionChanges(
  permissions: readonly PermissionStep[],
  people: Classes,
  dataSources: Classes,
  groups: StepGroups,
): Pick<Transition, 'pairOf' | 'ended' | 'endedFor' | 'granted' | 'grants' | 'permitted' | 'renewed'> {
  const pairOf = (person: number, dataSource: number): number => person * (dataSources.classes.length + 1) + dataSource;
  const ended = new Map<number, number[]>();
  const endedFor = new Map<number, number[]>();
  const granted = new Map<number, number>();
  const permitted = new Set<number>();
  const all: { pair: number; group: number; isGrant: boolean }[] = [];
  for (const { person, dataSource, step, change } of permissions) {
    const [personIndex, dataSourceIndex] = [people.indexOf.get(person), dataSources.indexOf.get(dataSource)];
    if (personIndex === undefined || dataSourceIndex === undefined) continue;
    const pair = pairOf(personIndex, dataSourceIndex);
    const group = groups.add([step]);
    permitted.add(personIndex);
    all.push({ pair, group, isGrant: change === 'granted' || change === 'grantedLater' });
    if (change === 'granted') granted.set(pair, group);
    else if (change === 'ended') {
      ended.set(pair, [...(ended.get(pair) ?? []), group]);
      endedFor.set(personIndex, [...(endedFor.get(personIndex) ?? []), dataSourceIndex]);
    }
  }
  const grants = new Map<number, number[]>();
  for (const { pair, group, isGrant } of all) if (isGrant) grants.set(pair, [...(grants.get(pair) ?? []), group]);
  const renewed = all.flatMap(({ pair, group: end, isGrant }) =>
    isGrant ? [] : (grants.get(pair) ?? []).map((grant) => ({ end, grant })),
  );
  return { pairOf, ended, endedFor, granted, grants, permitted, renewed };
}

function laterMemberships(
  upcoming: readonly LaterMembership[],
  { indexOf }: Classes,
  roleIds: readonly string[],
  groups: StepGroups,
): Transition['later'] {
  return upcoming.flatMap(({ person, role, step, status }) => {
    const index = indexOf.get(person);
    return index === undefined
      ? []
      : [{ person: index, role: roleIds.indexOf(role), status, group: groups.add([step]) }];
  });
}
