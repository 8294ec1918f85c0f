import { holdsYet } from '../model/membership-window.ts';
import { type AccessFacts, type AccessPerson, type AccessRole, grantState } from '../view/access.ts';
import { type Loss, noLoss, peopleOf, take } from './access-loss.ts';

/** A role that someone leaves or joins in a run. */
export interface Turnover {
  readonly role: AccessRole;
  /** True if the role is still there after the run. */
  readonly stays: boolean;
  /** The number of people in it before the run who can log in. */
  readonly before: number;
  readonly left: readonly AccessPerson[];
  readonly joined: readonly AccessPerson[];
}

/** A run's changes to the memberships of people who can log in. */
export interface Turnovers {
  /** The number of memberships before the run. */
  readonly before: number;
  /** The number of memberships that end, and the number of others that begin. */
  readonly left: number;
  readonly joined: number;
  /** The roles that people leave or join. */
  readonly roles: readonly Turnover[];
}

/** Finds who leaves and who joins each role. Someone who is locked or goes leaves all of theirs. */
export function findTurnovers(before: AccessFacts, after: AccessFacts, now: Date): Turnovers {
  const [had, has] = [peopleOf(before), peopleOf(after)];
  const made = new Map(after.roles.map((role) => [role.key, role]));
  const all = { before: 0, left: 0, joined: 0, roles: [] as Turnover[] };
  const add = (role: AccessRole, members: Members, current: AccessRole | undefined): void => {
    const joined = membersOf(current, has, now);
    const left = [...members.values()].filter(({ key }) => !joined.delete(key));
    all.before += members.size;
    all.left += left.length;
    all.joined += joined.size;
    if (left.length + joined.size === 0) return;
    all.roles.push({ role, stays: current !== undefined, before: members.size, left, joined: [...joined.values()] });
  };
  for (const role of before.roles) {
    add(role, membersOf(role, had, now), made.get(role.key));
    made.delete(role.key);
  }
  for (const role of made.values()) add(role, new Map(), role);
  return all;
}

/** The people in a role who can log in; a time that is still to come counts, and one that is over does not. */
function membersOf(role: AccessRole | undefined, people: Members, now: Date): Map<string, AccessPerson> {
  const members = role?.people.flatMap(({ key, windows }) => (holdsYet(windows, now) ? (people.get(key) ?? []) : []));
  return new Map(members?.map((person) => [person.key, person]));
}

/** People by their key. */
type Members = ReadonlyMap<string, AccessPerson>;

/** Counts the members who can log in that a run takes from a role; the role is undefined after it if it is gone. */
export function compareMembers(
  [factsBefore, role]: readonly [AccessFacts, AccessRole],
  [factsAfter, roleAfter]: readonly [AccessFacts, AccessRole | undefined],
  now: Date,
): Loss {
  const [old, current] = [membersOf(role, peopleOf(factsBefore), now), membersOf(roleAfter, peopleOf(factsAfter), now)];
  const left = [...old.values()].filter(({ key }) => !current.delete(key));
  const loss = { ...noLoss(), before: old.size, gained: current.size };
  for (const { username } of left) take(loss, username);
  return loss;
}

/** The memberships that a run takes away. */
export interface MembershipLoss {
  readonly all: Loss;
  /** Of these, the ones that take no access along: no other count has them. */
  readonly silent: Loss;
  /** Of the people in each role that stays, by the key of the role. */
  readonly roles: ReadonlyMap<string, { readonly role: AccessRole; readonly loss: Loss }>;
}

/**
 * Counts the memberships that are lost: someone leaves a role, and nothing gives them what it gave. A role gives its data sources,
 * and is worth as much as another one if it has none. So what a person reaches all the same is no loss, and neither is a
 * role without data sources in place of which they get one that takes in people and lets none go: a role that was renamed,
 * merged or split. Where each role lets people go and takes in others, a list has slipped.
 *
 * @param owning the keys of roles that own snippets: who leaves such a role loses something, whatever they reach
 */
export function compareMemberships(
  { before, joined: gained, roles }: Turnovers,
  after: AccessFacts,
  owning: ReadonlyMap<string, unknown>,
  now: Date,
): MembershipLoss {
  const [all, silent] = [
    { ...noLoss(), before, gained },
    { ...noLoss(), before, gained },
  ];
  const ofRoles = new Map<string, { role: AccessRole; loss: Loss }>();
  const leavers = new Map<string, { person: AccessPerson; left: Turnover[] }>();
  for (const turnover of roles) {
    for (const person of turnover.left) {
      const leaver = leavers.get(person.key);
      if (leaver === undefined) leavers.set(person.key, { person, left: [turnover] });
      else leaver.left.push(turnover);
    }
  }
  const places = placesOf(roles, leavers);
  const reach = new Reach(leavers, after, now);
  for (const [key, { person, left }] of leavers) {
    const { username: name } = person;
    reach.lookAt(key);
    let free = places.get(key) ?? 0;
    for (const { role, stays, before: members, joined } of left) {
      const gives = reach.givenBy(role);
      const isOwning = stays && owning.has(role.key);
      const isKept = gives.length > 0 ? reach.reaches(gives) : free > 0;
      if (isKept && !isOwning) {
        if (gives.length === 0) free -= 1;
        continue;
      }
      const words = `${name} in ${role.name}`;
      take(all, words);
      if (gives.length === 0 || isKept) take(silent, words);
      if (!stays) continue;
      const roleLoss = ofRoles.get(role.key) ?? { role, loss: { ...noLoss(), before: members, gained: joined.length } };
      ofRoles.set(role.key, roleLoss);
      take(roleLoss.loss, name);
    }
  }
  return { all, silent, roles: ofRoles };
}

/** Counts, for each of these people by key, the roles they join that let no one go. */
function placesOf(roles: readonly Turnover[], leavers: ReadonlyMap<string, unknown>): Map<string, number> {
  const places = new Map<string, number>();
  for (const { left, joined } of roles) {
    if (left.length > 0) continue;
    for (const { key } of joined) if (leavers.has(key)) places.set(key, (places.get(key) ?? 0) + 1);
  }
  return places;
}

/** The reach of some people after a run, looked at one by one. */
class Reach {
  /** The numbers of the data sources that stay. */
  readonly #numbers: ReadonlyMap<string, number>;
  readonly #lists = new Map<string, number[][]>();
  readonly #given = new Map<string, number[]>();
  /** The last person for whom each data source was reached. */
  readonly #marks: Float64Array;
  #mark = 0;

  constructor(people: ReadonlyMap<string, unknown>, after: AccessFacts, now: Date) {
    this.#numbers = new Map(after.dataSources.map(({ key }, number) => [key, number]));
    this.#marks = new Float64Array(this.#numbers.size);
    const present = peopleOf(after);
    const add = (key: string, list: number[]): void => {
      if (!present.has(key) || !people.has(key) || list.length === 0) return;
      const lists = this.#lists.get(key);
      if (lists === undefined) this.#lists.set(key, [list]);
      else lists.push(list);
    };
    for (const role of after.roles) {
      const list = this.#numbersOf(role);
      for (const { key, windows } of role.people) if (holdsYet(windows, now)) add(key, list);
    }
    for (const permission of after.permissions) {
      const number = this.#numbers.get(permission.dataSource);
      if (number !== undefined && grantState(permission, now) !== 'past') add(permission.person, [number]);
    }
  }

  lookAt(key: string): void {
    this.#mark += 1;
    for (const list of this.#lists.get(key) ?? []) for (const number of list) this.#marks[number] = this.#mark;
  }

  /** Returns the data sources that a role gave before the run and that are still there after it. */
  givenBy(role: AccessRole): readonly number[] {
    const cached = this.#given.get(role.key);
    if (cached !== undefined) return cached;
    const given = this.#numbersOf(role);
    this.#given.set(role.key, given);
    return given;
  }

  /** True if the person who was looked at last reaches all of these. */
  reaches(numbers: readonly number[]): boolean {
    return numbers.every((number) => this.#marks[number] === this.#mark);
  }

  #numbersOf({ dataSources }: AccessRole): number[] {
    return dataSources.flatMap(({ key }) => this.#numbers.get(key) ?? []);
  }
}
