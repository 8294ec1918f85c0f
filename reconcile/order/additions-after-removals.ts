import type { MemberClass, Membership } from './member-classes.ts';
import { GroupWaits } from './step-groups.ts';
import type { Transition } from './transition.ts';

/** People, or data sources, that a step brings into a role or takes out of it. */
interface Move {
  readonly member: MemberClass;
  readonly group: number;
}

/** Moves into one role and out of it. */
interface Moves {
  readonly coming: Move[];
  readonly leaving: Move[];
}

/**
 * Makes a member who comes into a role wait until what leaves the role has left it, where neither the old nor the new state gives
 * them that: no one reaches more in between.
 *
 * @returns for groups that add, the groups that take away
 */
export function findAdditionWaits(transition: Transition): GroupWaits {
  const waits = new GroupWaits();
  const repointed = new Set(transition.repointed.map(({ dataSource }) => dataSource));
  const later = Map.groupBy(transition.later, ({ role }) => role);
  // Where it is led to another database, one state alone does not let them have both.
  const mayReach = (person: MemberClass, source: MemberClass): boolean =>
    reachesEver(person, source, repointed.has(source.index));
  for (const [index, role] of transition.roles.entries()) {
    const people = movesOf(role.people, transition.people);
    addLater(people, later.get(index) ?? [], transition.people);
    const dataSources = movesOf(role.dataSources, transition.dataSources);
    for (const person of people.coming) {
      for (const source of dataSources.leaving) {
        if (!mayReach(person.member, source.member)) waits.add(person.group, source.group);
      }
    }
    for (const source of dataSources.coming) {
      for (const person of people.leaving) {
        if (!mayReach(person.member, source.member)) waits.add(source.group, person.group);
      }
    }
  }
  return waits;
}

function movesOf(memberships: ReadonlyMap<number, Membership>, classes: readonly MemberClass[]): Moves {
  const moves: Moves = { coming: [], leaving: [] };
  for (const [index, { status, group }] of memberships) {
    const member = classes[index];
    if (member === undefined || member.unlock >= 0) continue;
    // A lock or a deletion ends all that they reach, and comes before anything they are given.
    if (member.removal >= 0) moves.leaving.push({ member, group: member.removal });
    else if (status === 'added') moves.coming.push({ member, group });
    else if (status === 'removed') moves.leaving.push({ member, group });
  }
  return moves;
}

/** Adds memberships whose time comes later: they must not give then what neither state gives, if the run dies before it is through. */
function addLater({ coming, leaving }: Moves, later: Transition['later'], people: readonly MemberClass[]): void {
  for (const { person, status, group } of later) {
    const member = people[person];
    if (member === undefined || member.removal >= 0) continue;
    (status === 'added' ? coming : leaving).push({ member, group });
  }
}

/** True if a person reaches a data source by some role before the plan, or after it; or both. */
function reachesEver(person: MemberClass, source: MemberClass, isBoth: boolean): boolean {
  const [few, many] =
    person.roles.size <= source.roles.size ? [person.roles, source.roles] : [source.roles, person.roles];
  let isBefore = false;
  let isAfter = false;
  for (const [role, membership] of few) {
    const opposite = many.get(role);
    if (opposite === undefined) continue;
    isBefore ||= membership.status !== 'added' && opposite.status !== 'added';
    const isLeft = membership.status === 'removed' || opposite.status === 'removed';
    isAfter ||= !isLeft && person.removal < 0 && source.removal < 0;
    if (isBoth ? isBefore && isAfter : isBefore || isAfter) return true;
  }
  return false;
}
