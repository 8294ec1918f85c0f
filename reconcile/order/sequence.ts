import type { MemberClass, Membership } from './member-classes.ts';
import type { GroupWaits } from './step-groups.ts';
import type { Transition } from './transition.ts';

/** A pair that no order of the calls keeps: a permission has to, from the moment at which the order goes on. */
export interface Bridge {
  readonly person: MemberClass;
  readonly dataSource: MemberClass;
  readonly at: number;
}

/** One order in which the groups can run. */
export interface Sequence {
  /** The time at which each group runs; groups that are absent run last, all at once. */
  readonly at: ReadonlyMap<number, number>;
  readonly bridges: readonly Bridge[];
}

/**
 * Finds an order in which nothing is added before what it waits for, and nothing is removed that is the last way by which
 * someone reaches what they keep. Without removals that something waits for, all that is added comes first.
 *
 * @param additions what each group that adds waits for
 */
export function findSequence(transition: Transition, additions: GroupWaits): Sequence {
  return new Search(transition, additions).run();
}

/** One end of a role membership whose removal something waits for. */
interface Removal {
  readonly group: number;
  readonly person?: MemberClass;
  readonly dataSource?: MemberClass;
  readonly role: number;
  /** The position at which the last look at the role's other side ended: what kept the removal then may keep it still. */
  next: number;
}

interface Pair {
  readonly person: MemberClass;
  readonly dataSource: MemberClass;
}

class Search {
  readonly #transition: Transition;
  readonly #at = new Map<number, number>();
  readonly #bridges = new Map<number, Bridge>();
  readonly #additions: GroupWaits;
  /** The number of removals that each adding group still waits for. */
  readonly #blocked = new Map<number, number>();
  readonly #blocks = new Map<number, number[]>();
  readonly #removals = new Map<number, Removal>();
  /** Removals to be tried again once a group has added its class to a role. */
  readonly #watchers = new Map<number, Set<Removal>>();
  readonly #members = new Map<ReadonlyMap<number, Membership>, (readonly [number, Membership])[]>();
  #queue: Removal[] = [];
  #now = 0;

  constructor(transition: Transition, additions: GroupWaits) {
    this.#transition = transition;
    this.#additions = additions;
    const removals = new Set([...transition.people, ...transition.dataSources].map(({ removal }) => removal));
    // Nor does the end of a membership that gives nothing yet.
    for (const { group } of transition.later) removals.add(group);
    for (const [group, prerequisites] of additions.entries()) {
      // What ends all access of a person or data source keeps nothing, so that it need not wait.
      const needed = [...prerequisites].filter((prerequisite) => !removals.has(prerequisite));
      if (needed.length === 0) continue;
      this.#blocked.set(group, needed.length);
      for (const prerequisite of needed) {
        const blocks = this.#blocks.get(prerequisite);
        if (blocks === undefined) this.#blocks.set(prerequisite, [group]);
        else blocks.push(group);
      }
    }
    if (this.#blocked.size > 0) this.#index();
  }

  run(): Sequence {
    if (this.#blocked.size > 0) {
      this.#queue = [...this.#removals.values()];
      for (;;) {
        this.#removeAllThatMayGo();
        if (this.#blocked.size === 0) break;
        this.#bridgeTheFewest();
      }
    }
    return { at: this.#at, bridges: [...this.#bridges.values()] };
  }

  #index(): void {
    const { people, dataSources } = this.#transition;
    const enter = (member: MemberClass, isPerson: boolean): void => {
      for (const [role, { status, group }] of member.roles) {
        if (status === 'added') {
          if (!this.#blocked.has(group)) this.#at.set(group, 0);
        } else if (status === 'removed' && this.#blocks.has(group)) {
          this.#removals.set(group, {
            group,
            role,
            next: 0,
            ...(isPerson ? { person: member } : { dataSource: member }),
          });
        }
      }
    };
    for (const person of people) enter(person, true);
    for (const dataSource of dataSources) enter(dataSource, false);
  }

  #removeAllThatMayGo(): void {
    for (let index = 0; index < this.#queue.length; index += 1) {
      const removal = this.#queue[index];
      if (removal === undefined || this.#at.has(removal.group)) continue;
      const [kept] = this.#keptOnlyBy(removal, 1);
      if (kept === undefined) this.#remove(removal);
      else this.#watch(kept, removal);
    }
    this.#queue = [];
  }

  /** Tries the removal again with each step of another way by which the pair can be reached. */
  #watch({ person, dataSource }: Pair, removal: Removal): void {
    for (const [role, membership] of person.roles) {
      const other = dataSource.roles.get(role);
      if (other === undefined) continue;
      for (const { status, group } of [membership, other]) {
        if (status !== 'added' || this.#at.has(group)) continue;
        const watching = this.#watchers.get(group);
        if (watching === undefined) this.#watchers.set(group, new Set([removal]));
        else watching.add(removal);
      }
    }
  }

  #remove({ group }: Removal): void {
    this.#now += 1;
    this.#at.set(group, this.#now);
    for (const waiting of this.#blocks.get(group) ?? []) {
      const left = (this.#blocked.get(waiting) ?? 1) - 1;
      if (left > 0) {
        this.#blocked.set(waiting, left);
        continue;
      }
      this.#blocked.delete(waiting);
      this.#now += 1;
      this.#at.set(waiting, this.#now);
      for (const watching of this.#watchers.get(waiting) ?? []) this.#queue.push(watching);
      this.#watchers.delete(waiting);
    }
  }

  /** Pairs that both states give and that the removal would end. */
  #keptOnlyBy(removal: Removal, most: number): Pair[] {
    const { person, dataSource, role } = removal;
    const pairs: Pair[] = [];
    const { people, dataSources, roles } = this.#transition;
    const others = this.#listOf(person === undefined ? roles[role]?.people : roles[role]?.dataSources);
    for (const _ of others) {
      const [index, membership] = others[removal.next % others.length] ?? [];
      if (index !== undefined && membership !== undefined && this.#isIn(membership)) {
        const pair = { person: person ?? people[index], dataSource: dataSource ?? dataSources[index] };
        if (isPair(pair) && !this.#hasOtherWay(pair, role) && isKept(pair, this.#transition)) pairs.push(pair);
      }
      if (pairs.length === most) break;
      removal.next += 1;
    }
    return pairs;
  }

  #listOf(members: ReadonlyMap<number, Membership> = nothing): readonly (readonly [number, Membership])[] {
    const cached = this.#members.get(members);
    if (cached !== undefined) return cached;
    const list = [...members];
    this.#members.set(members, list);
    return list;
  }

  #isIn({ status, group }: Membership): boolean {
    return status === 'kept' || this.#at.has(group) === (status === 'added');
  }

  #hasOtherWay({ person, dataSource }: Pair, role: number): boolean {
    const pair = this.#transition.pairOf(person.index, dataSource.index);
    const { granted, ended } = this.#transition;
    // A permission ends last.
    if (granted.has(pair) || ended.has(pair) || this.#bridges.has(pair)) return true;
    for (const [other, membership] of person.roles) {
      if (other === role || !this.#isIn(membership)) continue;
      const reached = dataSource.roles.get(other);
      if (reached !== undefined && this.#isIn(reached)) return true;
    }
    return false;
  }

  /** Lets the addition come that takes the fewest bridges. */
  #bridgeTheFewest(): void {
    let best: { pairs: Pair[]; removals: Removal[]; cost: number } | undefined;
    let looked = 0;
    for (const waiting of this.#blocked.keys()) {
      const left = [...this.#additions.get(waiting)].filter((group) => !this.#at.has(group));
      const removals = left.flatMap((group) => this.#removals.get(group) ?? []);
      const pairs = removals.flatMap((removal) => this.#keptOnlyBy(removal, Number.POSITIVE_INFINITY));
      const cost = pairs.reduce((sum, { person, dataSource }) => sum + person.ids.length * dataSource.ids.length, 0);
      if (best === undefined || cost < best.cost) best = { pairs, removals, cost };
      looked += 1;
      if (looked === mostCompared) break;
    }
    for (const pair of best?.pairs ?? []) {
      this.#bridges.set(this.#transition.pairOf(pair.person.index, pair.dataSource.index), { ...pair, at: this.#now });
    }
    for (const removal of best?.removals ?? []) this.#queue.push(removal);
  }
}

const nothing: ReadonlyMap<number, Membership> = new Map();

/** The most additions that are compared for the fewest bridges. */
const mostCompared = 10;

const isPair = (pair: { person: MemberClass | undefined; dataSource: MemberClass | undefined }): pair is Pair =>
  pair.person !== undefined && pair.dataSource !== undefined;

/** True if both states give the pair, as far as the roles and the plan's permissions tell. */
function isKept({ person, dataSource }: Pair, { pairOf, granted, ended }: Transition): boolean {
  if (person.removal >= 0 || person.unlock >= 0 || dataSource.removal >= 0) return false;
  const pair = pairOf(person.index, dataSource.index);
  let isBefore = ended.has(pair);
  let isAfter = granted.has(pair);
  for (const [role, { status }] of person.roles) {
    const other = dataSource.roles.get(role)?.status;
    if (other === undefined) continue;
    isBefore ||= status !== 'added' && other !== 'added';
    isAfter ||= status !== 'removed' && other !== 'removed';
  }
  return isBefore && isAfter;
}
