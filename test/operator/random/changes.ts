import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../support/kubernetes/admin-client.ts';
import type { Random } from '../../support/random.ts';
import type { Namespace } from '../support/installation.ts';
import { type Kind, kinds, labelOf, nameField, type Spec } from './expected.ts';

/** How many objects of each kind there may be. Names in the workspace are two more, so that objects take each other's. */
const counts: Readonly<Record<Kind, number>> = {
  Person: 6,
  DataSource: 4,
  Role: 4,
  RoleMembership: 6,
  Permission: 5,
  Snippet: 4,
};
const upTo = (count: number): number[] => Array.from({ length: count }, (_, at) => at);
const all = kinds.flatMap((kind) => upTo(counts[kind]).map((at) => ({ kind, name: `${kind.toLowerCase()}-${at}` })));
const namesOf = (kind: Kind): string[] => all.flatMap((one) => (one.kind === kind ? [one.name] : []));
/** Names in the workspace, which no reference means: those are by metadata.name. */
const called = (kind: Kind): string[] => upTo(counts[kind] + 2).map((at) => `${kind.slice(0, 1).toLowerCase()}${at}`);
const uris = ['postgresql://reporting@127.0.0.1:5432/billing', 'mysql://reporting@127.0.0.1:3306/shop'];
const [shown, texts, years] = [
  ['Name 0', 'Name 1'],
  ['select 0', 'select 1'],
  [2090, 2091],
];
const changes = ['delete', 'recreate', 'recreate', 'change', 'change', 'rename', 'swap', 'give'] as const;
const longestPauseMs = 150;

type Place = (typeof all)[number];

/** Changes the objects of a namespace at random. */
export class Changes {
  /** What was done in this round, for whoever has to understand a failure. */
  readonly done: string[] = [];
  readonly #space: Namespace;
  readonly #random: Random;
  /** By label. */
  readonly #declared = new Map<string, Spec>();
  /** Objects that are not changed now, by label. */
  readonly #busy = new Set<string>();
  readonly #coming: Promise<void>[] = [];
  /** Names in the workspace that objects had in a careful round, or have from it. */
  readonly #used = new Set<string | undefined>();
  #isCareful = true;
  /** Kinds that are not changed in this round. */
  #resting: readonly Kind[] = [];

  constructor(space: Namespace, random: Random) {
    this.#space = space;
    this.#random = random;
  }

  /**
   * Begins a round.
   *
   * @param isCareful whether an object is changed once only, no permission beside a person or data source that takes it along, and no object
   *   gets the name that another one gave up. Where calls fail or the operator is killed, something stays otherwise, as its documentation says
   */
  begin(isCareful: boolean): void {
    this.#isCareful = isCareful;
    this.done.length = 0;
    this.#busy.clear();
    this.#used.clear();
    const either: (readonly Kind[])[] = [['Permission'], ['Person', 'DataSource']];
    this.#resting = isCareful ? this.#random.pick(either) : [];
  }

  /** Makes changes for a while. */
  async make(ms: number): Promise<void> {
    const end = performance.now() + ms;
    while (performance.now() < end) {
      await this.#change();
      await sleep(this.#random.below(longestPauseMs));
    }
  }

  /** Resolves once everything is there that was deleted and declared again. */
  async finished(): Promise<void> {
    for (const creation of this.#coming.splice(0)) await creation;
  }

  async remove(place: Place): Promise<void> {
    this.#note('delete', place);
    this.#declared.delete(labelOf(place));
    await this.#space.remove(place.kind, place.name);
  }

  /** Takes what is not declared out of the lists of a role. */
  async shorten(place: Place): Promise<void> {
    const { people = [], dataSources = [] } = this.#specOf(place);
    await this.#patch(place, {
      people: people.filter((name) => this.#has({ kind: 'Person', name })),
      dataSources: dataSources.filter((name) => this.#has({ kind: 'DataSource', name })),
    });
  }

  async #change(): Promise<void> {
    const free = all.filter((one) => !this.#resting.includes(one.kind) && !this.#busy.has(labelOf(one)));
    if (free.length === 0) return;
    const place = this.#random.pick(free);
    const change = this.#random.pick(changes);
    if (!this.#has(place)) this.#create(place);
    else if (change === 'delete') await this.remove(place);
    else if (change === 'recreate') {
      await this.remove(place);
      this.#create(place);
    } else if (change === 'change') await this.#patch(place, this.#changed(place));
    else await this.#rename(place, change, free);
  }

  /** Gives an object another name in the workspace: one of all, or that of another object, which gets its own or is deleted. */
  async #rename(place: Place, change: 'rename' | 'swap' | 'give', free: readonly Place[]): Promise<void> {
    const { kind, name } = place;
    if (kind === 'RoleMembership' || kind === 'Permission') return;
    const others = free.filter((one) => one.kind === kind && one.name !== name && this.#has(one));
    const field = nameField[kind];
    const mayTake = change === 'swap' || (change === 'give' && !this.#isCareful);
    if (!mayTake || others.length === 0) return this.#patch(place, { [field]: this.#pickName(kind, place) });
    const other = this.#random.pick(others);
    const own = this.#specOf(place)[field];
    await Promise.all([
      this.#patch(place, { [field]: this.#specOf(other)[field] }),
      change === 'swap' ? this.#patch(other, { [field]: own }) : this.remove(other),
    ]);
  }

  /** Declares an object as soon as no object of its name is being deleted any more. */
  #create(place: Place): void {
    const [label, spec] = [labelOf(place), this.#newSpec(place)];
    this.#note('create', place, spec);
    this.#busy.add(label);
    const creation = insist(() => this.#space.create(place.kind, place.name, { ...spec })).then(() => {
      this.#declared.set(label, spec);
      if (!this.#isCareful) this.#busy.delete(label);
    });
    // It is awaited at the end of the round.
    creation.catch(() => undefined);
    this.#coming.push(creation);
  }

  async #patch(place: Place, spec: Spec): Promise<void> {
    this.#note('change', place, spec);
    this.#declared.set(labelOf(place), { ...this.#specOf(place), ...spec });
    const fields = Object.entries(spec).map(([field, value]: [string, unknown]) => [field, value ?? null]);
    const owner = spec.owner && { owner: { person: null, role: null, ...spec.owner } };
    const body = { spec: { ...(Object.fromEntries(fields) as object), ...owner } };
    await insist(() => this.#space.patch(place.kind, place.name, body));
  }

  #newSpec(place: Place): Spec {
    const random = this.#random;
    const { kind, name } = place;
    switch (kind) {
      case 'Person': {
        const email = `${name}.${random.below(2)}@example.com`;
        return { username: this.#pickName(kind, place), name: random.pick(shown), email, locked: random.chance(0.2) };
      }
      case 'DataSource':
        return { alias: this.#pickName(kind, place), name: random.pick(shown), uri: random.pick(uris) };
      case 'Role':
        return {
          name: this.#pickName(kind, place),
          people: this.#some('Person'),
          dataSources: this.#some('DataSource'),
        };
      case 'RoleMembership': {
        const role = random.pick(namesOf('Role'));
        if (random.chance(0.3)) return { role, dataSource: random.pick(namesOf('DataSource')) };
        return { role, person: random.pick(namesOf('Person')), ...this.#times() };
      }
      case 'Permission': {
        const pair = { person: random.pick(namesOf('Person')), dataSource: random.pick(namesOf('DataSource')) };
        return { ...pair, expiresAt: atYear(random.pick(years)), ...this.#times() };
      }
      case 'Snippet': {
        const owners = [
          {},
          { owner: { person: random.pick(namesOf('Person')) } },
          { owner: { role: random.pick(namesOf('Role')) } },
        ];
        const owner = random.pick(this.#isCareful ? owners.slice(0, 1) : owners);
        return { name: this.#pickName(kind, place), text: random.pick(texts), ...owner };
      }
    }
  }

  /** What an object may become without being deleted. */
  #changed(place: Place): Spec {
    const spec = this.#newSpec(place);
    if (place.kind === 'Snippet') return { owner: undefined, ...spec };
    if (place.kind === 'Permission') return { startsAt: undefined, ...spec };
    if (place.kind !== 'RoleMembership') return spec;
    const times = { startsAt: undefined, expiresAt: undefined, ...this.#times() };
    return this.#specOf(place).person === undefined ? {} : times;
  }

  #times(): Spec {
    const [from, to] = years.map(atYear);
    return this.#random.chance(0.5)
      ? {}
      : { startsAt: atYear(2080 + this.#random.below(2)), expiresAt: this.#random.pick([from, to]) };
  }

  #some(kind: Kind): string[] {
    return namesOf(kind).filter(() => this.#random.chance(0.4));
  }

  /** A name in the workspace: one that others may have, or in a careful round one that no object has or had in it. */
  #pickName(kind: keyof typeof nameField, place: Place): string {
    const others = all.filter((one) => this.#isCareful && one.kind === kind && one.name !== place.name);
    const taken = new Set([...others.map((one) => this.#specOf(one)[nameField[kind]]), ...this.#used]);
    const free = called(kind).filter((one) => !taken.has(one));
    return free.length === 0 ? `${kind.toLowerCase()}-${this.#random.below(10 ** 9)}` : this.#random.pick(free);
  }

  #has(place: Place): boolean {
    return this.#declared.has(labelOf(place));
  }

  #specOf(place: Place): Spec {
    return this.#declared.get(labelOf(place)) ?? {};
  }

  #note(what: string, place: Place, spec?: Spec): void {
    this.done.push(`${what} ${labelOf(place)} ${spec === undefined ? '' : JSON.stringify(spec)}`);
    if (!this.#isCareful) return;
    this.#busy.add(labelOf(place));
    if (place.kind === 'RoleMembership' || place.kind === 'Permission') return;
    for (const one of [spec, this.#declared.get(labelOf(place))]) this.#used.add(one?.[nameField[place.kind]]);
  }
}

const atYear = (year: number): string => `${year}-01-01T00:00:00.000Z`;

/** Asks again while the API server answers 409: an object of the name is still being deleted, or was written just then. */
function insist(call: () => Promise<unknown>): Promise<void> {
  return until(
    () =>
      call().then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && error.message.includes('was answered with 409')) return false;
          throw error;
        },
      ),
    'a write',
  );
}
