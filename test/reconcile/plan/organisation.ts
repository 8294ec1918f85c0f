import { type DesiredObject, type DesiredRole } from '@rolecall/reconcile';
import { dataSource, permission, person, role } from '../support.ts';

/** Numbers that are the same in each run of the tests. */
export class Chance {
  #state: number;

  constructor(seed: number) {
    this.#state = seed;
  }

  below(most: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * most);
  }

  between(least: number, most: number): number {
    return least + this.below(most - least + 1);
  }

  of<T>(all: readonly T[]): T {
    const one = all[this.below(all.length)];
    if (one === undefined) throw new Error('nothing to choose from');
    return one;
  }

  some<T>(all: readonly T[], count: number): T[] {
    const left = [...all];
    return Array.from({ length: Math.min(count, left.length) }, () => left.splice(this.below(left.length), 1)).flat();
  }
}

interface Team {
  people: string[];
  dataSources: string[];
}

const times = { startsAt: '2026-01-01T00:00:00.000Z', expiresAt: '2096-01-01T00:00:00.000Z' };

/** The definitions of an organisation that changes by small merges, as teams do. */
export class Organisation {
  readonly people = new Map<string, { locked: boolean }>();
  readonly dataSources = new Set<string>();
  readonly teams = new Map<string, Team>();
  readonly permissions = new Set<string>();
  readonly #chance: Chance;
  #count = 0;

  constructor(chance: Chance, people: number, dataSources: number, teams: number) {
    this.#chance = chance;
    for (let each = 0; each < people; each += 1) this.#hire();
    for (let each = 0; each < dataSources; each += 1) this.dataSources.add(this.#name('source'));
    // Most teams are small; everyone reaches a little, and a few teams reach much.
    for (let each = 0; each < teams; each += 1)
      this.#found(chance.of([2, 3, 4, 4, 5, 6, 8, 12, 20]), chance.between(1, 6));
    this.teams.set('everyone', { people: [...this.people.keys()], dataSources: chance.some([...this.dataSources], 2) });
    for (let each = 0; each < people / 4; each += 1) this.#permit();
  }

  get objects(): DesiredObject[] {
    return [
      ...[...this.people].map(([name, { locked }]) => person(name, { locked })),
      ...[...this.dataSources].map((alias) => dataSource(alias, { uri })),
      ...[...this.teams].map(([name, team]) =>
        role(name, { people: [...team.people], dataSources: [...team.dataSources] }),
      ),
      ...[...this.permissions].map((pair) => {
        const [username = '', alias = ''] = pair.split(' ');
        return permission(username, alias, times);
      }),
    ];
  }

  /** One merge, of the kinds that an organisation has every week. @returns what it does */
  merge(): string {
    const often = Object.entries(this.#merges).flatMap(([kind, [weight, change]]) =>
      Array.from({ length: weight }, () => [kind, change] as const),
    );
    const [kind, change] = this.#chance.of(often);
    change();
    return kind;
  }

  /** Each with how often it comes. */
  readonly #merges: Readonly<Record<string, readonly [weight: number, change: () => void]>> = {
    'a person joins': [
      4,
      () => {
        const name = this.#hire();
        for (const team of this.#some(2)) team.people.push(name);
        this.teams.get('everyone')?.people.push(name);
      },
    ],
    'a person leaves': [
      4,
      () => {
        this.#leave(this.#chance.of([...this.people.keys()]));
      },
    ],
    'a few contractors leave': [
      1,
      () => {
        for (const name of this.#chance.some([...this.people.keys()], 3)) this.#leave(name);
      },
    ],
    'a person is locked': [
      1,
      () => {
        const one = this.people.get(this.#chance.of([...this.people.keys()]));
        if (one !== undefined) one.locked = true;
      },
    ],
    'a person changes teams': [
      6,
      () => {
        const [from, to] = this.#some(2);
        const name = from?.people.shift();
        if (name !== undefined && to?.people.includes(name) === false) to.people.push(name);
      },
    ],
    'a team rotates': [
      2,
      () => {
        const [team] = this.#some(1);
        if (team === undefined) return;
        const others = [...this.people.keys()].filter((name) => !team.people.includes(name));
        team.people = this.#chance.some(others, team.people.length);
      },
    ],
    'half of a team rotates': [
      3,
      () => {
        const [team] = this.#some(1);
        if (team === undefined) return;
        const others = [...this.people.keys()].filter((name) => !team.people.includes(name));
        const half = team.people.length / 2;
        team.people = [...team.people.slice(half), ...this.#chance.some(others, half)];
      },
    ],
    'a role is split': [
      1,
      () => {
        const [team] = this.#some(1);
        if (team === undefined || team.people.length < 2) return;
        const [people, dataSources] = [team.people.length / 2, team.dataSources.length / 2];
        this.teams.set(this.#name('team'), {
          people: team.people.splice(people),
          dataSources: team.dataSources.slice(dataSources),
        });
      },
    ],
    'two roles become one': [
      1,
      () => {
        const [one, other] = this.#some(2);
        if (one === undefined || other === undefined) return;
        one.people = [...new Set([...one.people, ...other.people])];
        one.dataSources = [...new Set([...one.dataSources, ...other.dataSources])];
        for (const [name, team] of this.teams) if (team === other) this.teams.delete(name);
      },
    ],
    'a role is dissolved': [
      1,
      () => {
        const [team] = this.#some(1);
        for (const [name, one] of this.teams) if (one === team) this.teams.delete(name);
      },
    ],
    'a role is founded': [
      2,
      () => {
        this.#found(this.#chance.between(2, 8), this.#chance.between(1, 4));
      },
    ],
    'a data source is retired': [
      1,
      () => {
        const gone = this.#chance.of([...this.dataSources]);
        this.dataSources.delete(gone);
        for (const team of this.teams.values()) team.dataSources = team.dataSources.filter((alias) => alias !== gone);
        for (const pair of this.permissions) if (pair.endsWith(` ${gone}`)) this.permissions.delete(pair);
      },
    ],
    'a data source is added': [
      2,
      () => {
        const alias = this.#name('source');
        this.dataSources.add(alias);
        for (const team of this.#some(2)) team.dataSources.push(alias);
      },
    ],
    'a role gets a data source': [
      4,
      () => {
        const [team] = this.#some(1);
        const alias = this.#chance.of([...this.dataSources]);
        if (team?.dataSources.includes(alias) === false) team.dataSources.push(alias);
      },
    ],
    'a role loses a data source': [1, () => void this.#some(1)[0]?.dataSources.shift()],
    'a permission is granted': [
      5,
      () => {
        this.#permit();
      },
    ],
    'permissions end': [
      2,
      () => {
        for (const pair of this.#chance.some([...this.permissions], 2)) this.permissions.delete(pair);
      },
    ],
  };

  /** Some teams, without the one of everybody. */
  #some(count: number): Team[] {
    return this.#chance
      .some(
        [...this.teams].filter(([name]) => name !== 'everyone'),
        count,
      )
      .map(([, team]) => team);
  }

  #name(kind: string): string {
    this.#count += 1;
    return `${kind}${this.#count}`;
  }

  #hire(): string {
    const name = this.#name('person');
    this.people.set(name, { locked: false });
    return name;
  }

  #leave(name: string): void {
    if (this.people.size < 20) return;
    this.people.delete(name);
    for (const team of this.teams.values()) team.people = team.people.filter((one) => one !== name);
    for (const pair of this.permissions) if (pair.startsWith(`${name} `)) this.permissions.delete(pair);
  }

  #found(people: number, dataSources: number): void {
    this.teams.set(this.#name('team'), {
      people: this.#chance.some([...this.people.keys()], people),
      dataSources: this.#chance.some([...this.dataSources], dataSources),
    });
  }

  #permit(): void {
    this.permissions.add(`${this.#chance.of([...this.people.keys()])} ${this.#chance.of([...this.dataSources])}`);
  }
}

const uri = 'postgresql://reader@db.internal:5432/main';

/** The roles among definitions, changed; all else as it is. */
export function withRoles(
  objects: readonly DesiredObject[],
  change: (role: DesiredRole, index: number, all: readonly DesiredRole[]) => DesiredRole | undefined,
): DesiredObject[] {
  const roles = objects.filter((object) => object.kind === 'Role');
  return [
    ...objects.filter(({ kind }) => kind !== 'Role'),
    ...roles.flatMap((one, index) => change(one, index, roles) ?? []),
  ];
}
