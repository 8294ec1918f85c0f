/** How many objects of one namespace the operator keeps: its memory belongs to all namespaces. */

import type { Room } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { CustomObject } from './custom-object.ts';

/** An object counts once for each so many characters, so that large ones take no more memory than many small ones. */
const charactersOfOne = 4096;

/** A list that left something out is made again only so much later than it took. */
const listsApart = 10;

/** One bound for several caches, each of which has a share. */
export class NamespaceQuota {
  readonly most: number;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #shares = new Set<QuotaShare>();

  constructor(most: number, clock: Pick<Clock, 'elapsed'>) {
    this.most = most;
    this.#clock = clock;
  }

  /** The share of another cache. */
  share(): QuotaShare {
    const share = new QuotaShare(this, this.#clock);
    this.#shares.add(share);
    return share;
  }

  /** Whether objects of a namespace were left out. */
  isOver(namespace: string): boolean {
    for (const share of this.#shares) if (share.hasLeftOut(namespace)) return true;
    return false;
  }

  /** Namespaces that have more objects than the operator keeps. */
  over(): string[] {
    return [...new Set([...this.#shares].flatMap((share) => [...share.over()]))];
  }

  /** Something of a namespace is gone, of whatever kind. */
  freed(namespace: string): void {
    for (const share of this.#shares) share.noteFreed(namespace);
  }

  /** How many objects of a namespace all caches have. */
  used(namespace: string): number {
    let sum = 0;
    for (const share of this.#shares) sum += share.used(namespace);
    return sum;
  }
}

class QuotaShare implements Room<CustomObject> {
  readonly #quota: NamespaceQuota;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #kept = new Map<string, number>();
  /** What the list has so far that is being read. */
  #listed: ReadonlyMap<string, number> = new Map();
  #over: ReadonlySet<string> = new Set();
  /** Whether there may be room again for what was left out. */
  #isFreed = false;
  #listMs = 0;
  #listedAt = 0;

  constructor(quota: NamespaceQuota, clock: Pick<Clock, 'elapsed'>) {
    this.#quota = quota;
    this.#clock = clock;
  }

  hasLeftOut(namespace: string): boolean {
    return this.#over.has(namespace);
  }

  over(): ReadonlySet<string> {
    return this.#over;
  }

  used(namespace: string): number {
    return Math.max(this.#kept.get(namespace) ?? 0, this.#listed.get(namespace) ?? 0);
  }

  /** Whether only a list can tell what was left out and would find room now. */
  get isListDue(): boolean {
    return this.#isFreed && this.#clock.elapsed() - this.#listedAt >= listsApart * this.#listMs;
  }

  admits(object: CustomObject, before: CustomObject | undefined): boolean {
    const { namespace } = object.metadata;
    const more = countOf(object) - (before === undefined ? 0 : countOf(before));
    // What takes no more room than before is never left out.
    if (more <= 0 || this.#quota.used(namespace) + more <= this.#quota.most) return true;
    this.#over = new Set([...this.#over, namespace]);
    return false;
  }

  kept(object: CustomObject | undefined, before: CustomObject | undefined): void {
    const namespace = (object ?? before)?.metadata.namespace ?? '';
    const change = (object === undefined ? 0 : countOf(object)) - (before === undefined ? 0 : countOf(before));
    if (change === 0) return;
    const count = (this.#kept.get(namespace) ?? 0) + change;
    if (count > 0) this.#kept.set(namespace, count);
    else this.#kept.delete(namespace);
    if (change < 0) this.#quota.freed(namespace);
  }

  freed({ metadata }: CustomObject): void {
    this.#quota.freed(metadata.namespace);
  }

  /** Notes that a namespace takes less room than before. */
  noteFreed(namespace: string): void {
    this.#isFreed ||= this.#over.has(namespace);
  }

  list(): ReturnType<Room<CustomObject>['list']> {
    const begun = this.#clock.elapsed();
    const listed = new Map<string, number>();
    const over = new Set<string>();
    this.#listed = listed;
    return {
      admits: (object) => {
        const { namespace } = object.metadata;
        const own = listed.get(namespace) ?? 0;
        const others = this.#quota.used(namespace) - this.used(namespace);
        const count = own + countOf(object);
        if (others + count > this.#quota.most) {
          over.add(namespace);
          return false;
        }
        listed.set(namespace, count);
        return true;
      },
      end: () => {
        this.#over = over;
        this.#listed = new Map();
        this.#isFreed = false;
        this.#listedAt = this.#clock.elapsed();
        this.#listMs = this.#listedAt - begun;
      },
    };
  }
}

function countOf({ spec, metadata }: CustomObject): number {
  return 1 + Math.floor((sizeOf(spec) + sizeOf(metadata.annotations) + sizeOf(metadata.labels)) / charactersOfOne);
}

/** About how many characters a value has; an entry of a list is never free. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  // Asked for each object again and again: a list of its values each time would have to be collected.
  for (const key in value) sum += 16 + sizeOf((value as Readonly<Record<string, unknown>>)[key]);
  return sum;
}
