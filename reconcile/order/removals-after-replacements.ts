import type { MemberClass } from './member-classes.ts';
import type { Bridge, Sequence } from './sequence.ts';
import type { GroupWaits } from './step-groups.ts';
import type { Transition } from './transition.ts';

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

const last = Number.MAX_SAFE_INTEGER;

/**
 * Lets a way by which a person reaches what both states give go only once the next one stands: no one reaches less in between.
 *
 * @param waits to which what is found is added
 */
export function addRemovalWaits(
  transition: Transition,
  sequence: Sequence,
  groupsOf: (bridge: Bridge) => BridgeGroups,
  waits: GroupWaits,
): void {
  const { people, dataSources, endedFor } = transition;
  const reach = new Reach(transition, sequence, groupsOf);
  for (const person of people) {
    if (person.removal >= 0 || person.unlock >= 0) continue;
    const lost = lostBy(person, transition);
    for (const index of endedFor.get(person.index) ?? []) lost.add(index);
    for (const index of lost) {
      const source = dataSources[index];
      if (source !== undefined && source.removal < 0) holdPair(reach.ways(person, source), waits);
    }
  }
}

/** The pairs of one class that a removal concerns. */
function lostBy(person: MemberClass, { roles }: Transition): Set<number> {
  const lost = new Set<number>();
  for (const [role, { status }] of person.roles) {
    if (status === 'added') continue;
    for (const [index, other] of roles[role]?.dataSources ?? []) {
      if (other.status !== 'added' && (status === 'removed' || other.status === 'removed')) lost.add(index);
    }
  }
  return lost;
}

/** Ways by which people reach data sources, and when in the sequence. */
class Reach {
  readonly #transition: Transition;
  readonly #at: Sequence['at'];
  readonly #bridged: ReadonlyMap<number, Bridge>;
  readonly #groupsOf: (bridge: Bridge) => BridgeGroups;

  constructor(transition: Transition, { at, bridges }: Sequence, groupsOf: (bridge: Bridge) => BridgeGroups) {
    this.#transition = transition;
    this.#at = at;
    this.#bridged = new Map(
      bridges.map((bridge) => [transition.pairOf(bridge.person.index, bridge.dataSource.index), bridge]),
    );
    this.#groupsOf = groupsOf;
  }

  ways(person: MemberClass, source: MemberClass): Way[] {
    return [
      ...this.#byRoles(person, source),
      ...this.#byPermissions(this.#transition.pairOf(person.index, source.index)),
    ];
  }

  *#byRoles(person: MemberClass, source: MemberClass): Iterable<Way> {
    for (const [role, membership] of person.roles) {
      const opposite = source.roles.get(role);
      if (opposite === undefined) continue;
      const ends = [membership, opposite];
      const adding = ends.filter(({ status }) => status === 'added').map(({ group }) => group);
      const removing = ends.filter(({ status }) => status === 'removed').map(({ group }) => group);
      yield {
        from: Math.max(-1, ...adding.map((group) => this.#at.get(group) ?? 0)),
        until: Math.min(Number.POSITIVE_INFINITY, ...removing.map((group) => this.#at.get(group) ?? last)),
        adding,
        removing,
      };
    }
  }

  *#byPermissions(pair: number): Iterable<Way> {
    const { ended, granted } = this.#transition;
    for (const group of ended.get(pair) ?? []) yield { from: -1, until: last, adding: [], removing: [group] };
    const grant = granted.get(pair);
    if (grant !== undefined) yield { from: 0, until: Number.POSITIVE_INFINITY, adding: [grant], removing: [] };
    const bridge = this.#bridged.get(pair);
    if (bridge === undefined) return;
    const { made, ended: removed } = this.#groupsOf(bridge);
    yield { from: bridge.at, until: last, adding: [made], removing: [removed] };
  }
}

/** Lets each way wait for the next one, so that one of them stands at all times. */
function holdPair(ways: readonly Way[], waits: GroupWaits): void {
  if (!ways.some(({ until }) => until === Number.POSITIVE_INFINITY)) return;
  let current = longest(ways.filter(({ from }) => from < 0));
  while (current !== undefined && current.until !== Number.POSITIVE_INFINITY) {
    const { until, removing } = current;
    const next = longest(ways.filter((way) => way.from < until && way.until > until));
    if (next === undefined) throw new Error('the order of the steps leaves a gap in what both states give');
    for (const group of removing) for (const prerequisite of next.adding) waits.add(group, prerequisite);
    current = next;
  }
}

/** The way that stands longest; of several, the one for which the fewest steps are needed. */
function longest(ways: readonly Way[]): Way | undefined {
  return ways.reduce<Way | undefined>((best, way) => {
    if (best === undefined || way.until > best.until) return way;
    return way.until === best.until && way.adding.length < best.adding.length ? way : best;
  }, undefined);
}
