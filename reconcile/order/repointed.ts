import type { MemberStatus } from './access-steps.ts';
import type { MemberClass, Membership } from './member-classes.ts';
import type { GroupWaits } from './step-groups.ts';
import type { Transition } from './transition.ts';

/**
 * No more, where a data source is led to another database: those who lose it go before, and those who gain it come after. Else they would
 * reach the new database, or the old one, which neither state gives them.
 *
 * @param waits to which is added what comes after
 * @returns the steps that go before, by the id of the step that leads it there. One of them may have to wait for that step: then
 *   these cannot both be
 */
export function orderRepointed(transition: Transition, waits: GroupWaits): Map<string, string[]> {
  const prerequisites = new Map<string, string[]>();
  const { groups } = transition;
  // Those who are locked or let in may reach it by a permission that no step is about.
  const removals = transition.people.flatMap(({ removal }) => (removal < 0 ? [] : [removal]));
  const unlocks = transition.people.flatMap(({ unlock }) => (unlock < 0 ? [] : [unlock]));
  for (const { dataSource, group } of transition.repointed) {
    const source = transition.dataSources[dataSource];
    if (source === undefined || source.removal >= 0) continue;
    const { leaving, coming } = changesOf(source, transition);
    for (const giver of [...coming, ...unlocks]) waits.add(giver, group);
    const going = [...leaving, ...removals].flatMap((taker) => groups.idsOf(taker));
    for (const id of groups.idsOf(group)) prerequisites.set(id, going);
  }
  return prerequisites;
}

/** The groups that take a data source from someone who has it, and those that give it to someone who has it not. */
function changesOf(source: MemberClass, transition: Transition) {
  const { people, roles, ended, granted, grants, permitted, pairOf } = transition;
  const concerned = new Set([
    ...permitted,
    ...[...source.roles.keys()].flatMap((role) => [...(roles[role]?.people.keys() ?? [])]),
  ]);
  const leaving = new Set<number>();
  const coming = new Set<number>();
  for (const index of concerned) {
    const person = people[index];
    if (person === undefined || person.removal >= 0 || person.unlock >= 0) continue;
    const pair = pairOf(person.index, source.index);
    const ways = waysBetween(person, source);
    const [old, current] = [ways.filter((way) => !has('added', way)), ways.filter((way) => !has('removed', way))];
    const ends = ended.get(pair) ?? [];
    const isBefore = old.length + ends.length > 0;
    const isAfter = granted.has(pair) || current.length > 0;
    if (isBefore && !isAfter) {
      const removals = old.flatMap((way) => way.find(({ status }) => status === 'removed')?.group ?? []);
      for (const group of [...removals, ...ends]) leaving.add(group);
    } else if (isAfter && !isBefore) {
      const additions = current.flat().flatMap(({ status, group }) => (status === 'added' ? [group] : []));
      for (const group of [...additions, ...(grants.get(pair) ?? [])]) coming.add(group);
    }
  }
  return { leaving, coming };
}

/** By each role with both: how each is in it. */
function waysBetween(person: MemberClass, source: MemberClass): (readonly [Membership, Membership])[] {
  return [...person.roles].flatMap(([role, membership]) => {
    const other = source.roles.get(role);
    return other === undefined ? [] : [[membership, other] as const];
  });
}

const has = (wanted: MemberStatus, way: readonly Membership[]): boolean => way.some(({ status }) => status === wanted);
