import type { Bridge, Sequence } from './sequence.ts';
import type { GroupWaits } from './step-groups.ts';
import type { MemberClass, Transition } from './transition.ts';

/** A way by which a pair is reached for a part of the sequence. */
interface Way {
  readonly from: number;
  readonly until: number;
  readonly adding: readonly number[];
  readonly removing: readonly number[];
}

/** The steps that make and end the permission of a bridge. */
export interface BridgeGroups {
  readonly made: number;
  readonly ended: number;
}

/**
 * No less: of the ways by which a person reaches what both states give, one goes only once the next one stands.
 *
 * @param waits to which what is found is added
 */
export function addLowerBound(
  transition: Transition,
  { at, bridges }: Sequence,
  groupsOf: (bridge: Bridge) => BridgeGroups,
  waits: GroupWaits,
): void {
  const { people, dataSources, roles, pairOf, ended, endedFor, granted } = transition;
  const bridged = new Map(bridges.map((one) => [pairOf(one.person.index, one.dataSource.index), one]));
  const last = Number.MAX_SAFE_INTEGER;

  /** The pairs of one class that a removal concerns. */
  const lostBy = (person: MemberClass): Set<number> => {
    const lost = new Set<number>();
    for (const [role, { stay }] of person.roles) {
      if (stay === 'added') continue;
      for (const [index, other] of roles[role]?.dataSources ?? []) {
        if (other.stay !== 'added' && (stay === 'removed' || other.stay === 'removed')) lost.add(index);
      }
    }
    return lost;
  };

  const waysOf = (person: MemberClass, source: MemberClass): Way[] => {
    const ways: Way[] = [];
    for (const [role, one] of person.roles) {
      const other = source.roles.get(role);
      if (other === undefined) continue;
      const adding = [one, other].filter(({ stay }) => stay === 'added').map(({ group }) => group);
      const removing = [one, other].filter(({ stay }) => stay === 'removed').map(({ group }) => group);
      ways.push({
        from: Math.max(-1, ...adding.map((group) => at.get(group) ?? 0)),
        until: Math.min(Number.POSITIVE_INFINITY, ...removing.map((group) => at.get(group) ?? last)),
        adding,
        removing,
      });
    }
    const pair = pairOf(person.index, source.index);
    for (const group of ended.get(pair) ?? []) ways.push({ from: -1, until: last, adding: [], removing: [group] });
    const grant = granted.get(pair);
    if (grant !== undefined) ways.push({ from: 0, until: Number.POSITIVE_INFINITY, adding: [grant], removing: [] });
    const bridge = bridged.get(pair);
    if (bridge !== undefined) {
      const { made, ended: removed } = groupsOf(bridge);
      ways.push({ from: bridge.at, until: last, adding: [made], removing: [removed] });
    }
    return ways;
  };

  const hold = (person: MemberClass, source: MemberClass): void => {
    const ways = waysOf(person, source);
    if (!ways.some(({ until }) => until === Number.POSITIVE_INFINITY)) return;
    let current = longest(ways.filter(({ from }) => from < 0));
    while (current !== undefined && current.until !== Number.POSITIVE_INFINITY) {
      const { until, removing } = current;
      const next = longest(ways.filter((way) => way.from < until && way.until > until));
      if (next === undefined) throw new Error('the order of the steps leaves a gap in what both states give');
      for (const group of removing) for (const before of next.adding) waits.add(group, before);
      current = next;
    }
  };

  for (const person of people) {
    if (person.exit >= 0 || person.unlock >= 0) continue;
    const lost = lostBy(person);
    for (const index of endedFor.get(person.index) ?? []) lost.add(index);
    for (const index of lost) {
      const source = dataSources[index];
      if (source !== undefined && source.exit < 0) hold(person, source);
    }
  }
}

/** The way that stands longest; of several, the one for which the fewest steps are needed. */
function longest(ways: readonly Way[]): Way | undefined {
  return ways.reduce<Way | undefined>((best, way) => {
    if (best === undefined || way.until > best.until) return way;
    return way.until === best.until && way.adding.length < best.adding.length ? way : best;
  }, undefined);
}
