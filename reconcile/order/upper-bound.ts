import type { MemberClass } from './member-classes.ts';
import { GroupWaits } from './step-groups.ts';
import type { Transition } from './transition.ts';

/**
 * No more: a member who comes into a role waits until what leaves the role has left it, where neither the old nor the new
 * state gives them that.
 *
 * @returns for groups that add, the groups that take away
 */
export function findUpperBound(transition: Transition): GroupWaits {
  const waits = new GroupWaits();
  const { people, dataSources } = transition;
  const repointed = new Set(transition.repointed.map(({ dataSource }) => dataSource));
  // Where it is led to another database, one state alone does not let them have both.
  const isFree = (person: MemberClass, source: MemberClass): boolean =>
    reachesEver(person, source, repointed.has(source.index));
  const later = Map.groupBy(transition.later, ({ role }) => role);
  for (const [number, role] of transition.roles.entries()) {
    const comingPeople: (readonly [MemberClass, number])[] = [];
    const leavingPeople: (readonly [MemberClass, number])[] = [];
    for (const [index, { stay, group }] of role.people) {
      const one = people[index];
      if (one === undefined || one.unlock >= 0) continue;
      // Their lock ends all that they reach, and comes before anything they are given.
      if (one.exit >= 0) leavingPeople.push([one, one.exit]);
      else if (stay === 'added') comingPeople.push([one, group]);
      else if (stay === 'removed') leavingPeople.push([one, group]);
    }
    // A membership whose time comes later must not give then what neither state gives, if the run dies before it is through.
    for (const { person, stay, group } of later.get(number) ?? []) {
      const one = people[person];
      if (one !== undefined && one.exit < 0) (stay === 'added' ? comingPeople : leavingPeople).push([one, group]);
    }
    const comingSources: (readonly [MemberClass, number])[] = [];
    const leavingSources: (readonly [MemberClass, number])[] = [];
    for (const [index, { stay, group }] of role.dataSources) {
      const one = dataSources[index];
      if (one === undefined) continue;
      if (one.exit >= 0) leavingSources.push([one, one.exit]);
      else if (stay === 'added') comingSources.push([one, group]);
      else if (stay === 'removed') leavingSources.push([one, group]);
    }
    for (const [person, coming] of comingPeople) {
      for (const [source, leaving] of leavingSources) {
        if (!isFree(person, source)) waits.add(coming, leaving);
      }
    }
    for (const [source, coming] of comingSources) {
      for (const [person, leaving] of leavingPeople) {
        if (!isFree(person, source)) waits.add(coming, leaving);
      }
    }
  }
  return waits;
}

/** Whether a person reaches a data source by some role before the plan, or after it; or both. */
function reachesEver(person: MemberClass, source: MemberClass, isBoth: boolean): boolean {
  const [few, many] =
    person.roles.size <= source.roles.size ? [person.roles, source.roles] : [source.roles, person.roles];
  let isBefore = false;
  let isAfter = false;
  for (const [role, { stay: one }] of few) {
    const other = many.get(role)?.stay;
    if (other === undefined) continue;
    isBefore ||= one !== 'added' && other !== 'added';
    isAfter ||= one !== 'removed' && other !== 'removed' && person.exit < 0 && source.exit < 0;
    if (isBoth ? isBefore && isAfter : isBefore || isAfter) return true;
  }
  return false;
}
