import { holdsYet } from '../model/membership-window.ts';
import { type AccessDataSource, type AccessFacts, type AccessPerson, grantState } from '../view/access.ts';

/** Counts of a run: those there before it, those it takes away, and others that it adds. */
export interface Loss {
  before: number;
  lost: number;
  gained: number;
  /** The first that are lost, by name. */
  readonly names: string[];
}

/** The pairs of a person and a data source within their reach that a run takes away. */
export interface AccessLoss {
  /** Of all pairs. */
  readonly all: Loss;
  /** Of the people who reach one data source, by its key. */
  readonly dataSources: ReadonlyMap<string, Loss>;
}

/** The data sources that a person reaches, by their number: a list for each way, so that one may be in several. */
type Reached = readonly (readonly number[])[];

const mostNames = 10;

/**
 * Compares who reaches what before and after a run. It takes as long as one pass over what each role gives to each of its
 * members, and keeps no pair in memory.
 *
 * @param now permissions that are over by then give nothing; those that begin later count as if they had begun
 */
export function compareReach(before: AccessFacts, after: AccessFacts, now: Date): AccessLoss {
  const dataSources = [
    ...new Map(
      [...before.dataSources, ...after.dataSources].map((dataSource) => [dataSource.key, dataSource] as const),
    ).values(),
  ];
  const numbers = new Map(dataSources.map(({ key }, number) => [key, number]));
  const [had, has] = [reachedBy(before, numbers, now), reachedBy(after, numbers, now)];
  const comparison = new Comparison(dataSources);
  const usernames = new Map([...after.people, ...before.people].map(({ key, username }) => [key, username]));
  for (const [key, username] of usernames) {
    const [old, current] = [had.get(key) ?? nothing, has.get(key) ?? nothing];
    if (old.length + current.length > 0) comparison.add(username, old, current);
  }
  return comparison.result();
}

const nothing: Reached = [];

/** Counts person by person. */
class Comparison {
  readonly #dataSources: readonly AccessDataSource[];
  readonly #losses: Loss[];
  readonly #names: string[] = [];
  /** The last mark of each data source: a person has one for what they reached, and one for what they reach after the run. */
  readonly #marks: Float64Array;
  #mark = 0;

  constructor(dataSources: readonly AccessDataSource[]) {
    this.#dataSources = dataSources;
    this.#losses = dataSources.map(noLoss);
    this.#marks = new Float64Array(dataSources.length);
  }

  add(username: string, had: Reached, has: Reached): void {
    const old = (this.#mark += 1);
    const current = (this.#mark += 1);
    let left = 0;
    this.#visitAll(had, (loss, number) => {
      if (this.#marks[number] === old) return;
      this.#marks[number] = old;
      loss.before += 1;
      left += 1;
    });
    this.#visitAll(has, (loss, number) => {
      const mark = this.#marks[number];
      if (mark === current) return;
      this.#marks[number] = current;
      if (mark === old) left -= 1;
      else loss.gained += 1;
    });
    if (left === 0) return;
    this.#visitAll(had, (loss, number) => {
      if (this.#marks[number] !== old) return;
      this.#marks[number] = 0;
      take(loss, username);
      const { alias = null, name = '' } = this.#dataSources[number] ?? {};
      if (this.#names.length < mostNames) this.#names.push(`${username} on ${alias ?? name}`);
    });
  }

  #visitAll(reached: Reached, visit: (loss: Loss, number: number) => void): void {
    for (const list of reached) {
      for (const number of list) {
        const loss = this.#losses[number];
        if (loss !== undefined) visit(loss, number);
      }
    }
  }

  result(): AccessLoss {
    const all: Loss = { ...noLoss(), names: this.#names };
    for (const { before, lost, gained } of this.#losses) {
      all.before += before;
      all.lost += lost;
      all.gained += gained;
    }
    return {
      all,
      dataSources: new Map(this.#dataSources.map(({ key }, number) => [key, this.#losses[number] ?? noLoss()])),
    };
  }
}

export const noLoss = (): Loss => ({ before: 0, lost: 0, gained: 0, names: [] });

export function take(loss: Loss, name: string): void {
  loss.lost += 1;
  if (loss.names.length < mostNames) loss.names.push(name);
}

/** The people who can log in, by their key. */
export const peopleOf = ({ people }: AccessFacts): Map<string, AccessPerson> =>
  new Map(people.flatMap((person) => (person.isLocked ? [] : [[person.key, person]])));

function reachedBy(facts: AccessFacts, numbers: ReadonlyMap<string, number>, now: Date): Map<string, Reached> {
  const people = peopleOf(facts);
  const present = new Set(facts.dataSources.map(({ key }) => key));
  const numberOf = (key: string): number[] => (present.has(key) ? [numbers.get(key) ?? 0] : []);
  const reached = new Map<string, (readonly number[])[]>();
  const add = (key: string, list: readonly number[]): void => {
    if (!people.has(key) || list.length === 0) return;
    const lists = reached.get(key);
    if (lists === undefined) reached.set(key, [list]);
    else lists.push(list);
  };
  for (const { people: members, dataSources } of facts.roles) {
    const list = dataSources.flatMap(({ key }) => numberOf(key));
    // As with a permission: a time that is still to come counts, and one that is over does not.
    for (const { key, windows } of members) if (holdsYet(windows, now)) add(key, list);
  }
  for (const permission of facts.permissions) {
    if (grantState(permission, now) !== 'past') add(permission.person, numberOf(permission.dataSource));
  }
  return reached;
}
