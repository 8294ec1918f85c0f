/** Steps that wait, and are waited for, together. */
export class StepGroups {
  readonly #ids: (readonly string[])[] = [];
  readonly #owners: number[] = [];
  #owned = 0;

  /** Names a class whose groups have one step for each of its members, in the same order. */
  newOwner(): number {
    this.#owned += 1;
    return this.#owned;
  }

  add(ids: readonly string[], owner = 0): number {
    this.#owners.push(owner);
    return this.#ids.push(ids) - 1;
  }

  idsOf(group: number): readonly string[] {
    return this.#ids[group] ?? [];
  }

  /** True if each step of the one has its counterpart in the other: the same person's, or the same data source's. */
  areParallel(group: number, other: number): boolean {
    const owner = this.#owners[group];
    return owner !== 0 && owner === this.#owners[other];
  }
}

/** For each group, the groups that must have succeeded before. */
export class GroupWaits {
  readonly #before = new Map<number, Set<number>>();

  add(group: number, prerequisite: number): void {
    const prerequisites = this.#before.get(group);
    if (prerequisites === undefined) this.#before.set(group, new Set([prerequisite]));
    else prerequisites.add(prerequisite);
  }

  get(group: number): ReadonlySet<number> {
    return this.#before.get(group) ?? nothing;
  }

  entries(): Iterable<[number, ReadonlySet<number>]> {
    return this.#before;
  }
}

const nothing: ReadonlySet<number> = new Set();
