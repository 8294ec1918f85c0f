/** Bounds how many objects of one namespace the operator keeps: its memory belongs to all namespaces. */

import type { Room } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import type { CustomObject } from './custom-object.ts';

/** Characters that count as one object, so that large objects take no more memory than many small ones. */
const charactersPerUnit = 4096;

/** A list that left something out is made again only after this many times as long as it took. */
const listsApart = 10;

/**
 * The bound of each namespace, over several caches. A namespace that reached it is crowded: some of its objects are left out, as if they
 * were not there, until a list of their cache finds room for them.
 */
export class NamespaceQuota {
  /** Units that one namespace may have. */
  readonly most: number;
  readonly #clock: Pick<Clock, 'elapsed'>;
  readonly #caches = new Set<CacheQuota>();

  constructor(most: number, clock: Pick<Clock, 'elapsed'>) {
    this.most = most;
    this.#clock = clock;
  }

  /** Makes the room of another cache under the same bound. */
  openCache(): CacheQuota {
    const cache = new CacheQuota(this, this.#clock);
    this.#caches.add(cache);
    return cache;
  }

  isCrowded(namespace: string): boolean {
    for (const { crowded } of this.#caches) if (crowded.has(namespace)) return true;
    return false;
  }

  /** Lists the namespaces of which some objects are left out. */
  crowdedNamespaces(): Set<string> {
    return new Set([...this.#caches].flatMap(({ crowded }) => [...crowded]));
  }

  /** Counts the units of a namespace in all caches. */
  unitsOf(namespace: string): number {
    let sum = 0;
    for (const cache of this.#caches) sum += cache.unitsOf(namespace);
    return sum;
  }

  /** Tells every cache that a namespace takes less room now: what any of them left out may fit. */
  shrank(namespace: string): void {
    for (const cache of this.#caches) cache.mayFit(namespace);
  }
}

/** The room of one cache. Only a new list of its objects can bring in what it left out, for it does not remember that. */
class CacheQuota implements Room<CustomObject> {
  readonly #quota: NamespaceQuota;
  readonly #clock: Pick<Clock, 'elapsed'>;
  /** Units of the objects in the cache, by namespace. */
  readonly #kept = new Map<string, number>();
  /** Units that the list has so far which is being read. */
  #listed: ReadonlyMap<string, number> = new Map();
  #crowded: ReadonlySet<string> = new Set();
  #isListUseful = false;
  #listMs = 0;
  #listedAt = 0;

  constructor(quota: NamespaceQuota, clock: Pick<Clock, 'elapsed'>) {
    this.#quota = quota;
    this.#clock = clock;
  }

  /** The namespaces of which this cache left objects out. */
  get crowded(): ReadonlySet<string> {
    return this.#crowded;
  }

  unitsOf(namespace: string): number {
    return Math.max(this.#kept.get(namespace) ?? 0, this.#listed.get(namespace) ?? 0);
  }

  /** True if a list may find room for what was left out, and the last one is long enough ago. */
  get isListDue(): boolean {
    return this.#isListUseful && this.#clock.elapsed() - this.#listedAt >= listsApart * this.#listMs;
  }

  /** Notes that a namespace takes less room than it did. */
  mayFit(namespace: string): void {
    this.#isListUseful ||= this.#crowded.has(namespace);
  }

  admits(object: CustomObject, oldObject: CustomObject | undefined): boolean {
    const { namespace } = object.metadata;
    const growth = growthOf(object, oldObject);
    // An object that does not grow is never left out.
    if (growth <= 0 || this.#quota.unitsOf(namespace) + growth <= this.#quota.most) return true;
    this.#crowded = new Set([...this.#crowded, namespace]);
    return false;
  }

  kept(object: CustomObject | undefined, oldObject: CustomObject | undefined): void {
    const namespace = (object ?? oldObject)?.metadata.namespace ?? '';
    const growth = growthOf(object, oldObject);
    if (growth === 0) return;
    const units = (this.#kept.get(namespace) ?? 0) + growth;
    if (units > 0) this.#kept.set(namespace, units);
    else this.#kept.delete(namespace);
    if (growth < 0) this.#quota.shrank(namespace);
  }

  gone({ metadata }: CustomObject): void {
    this.#quota.shrank(metadata.namespace);
  }

  list(): ReturnType<Room<CustomObject>['list']> {
    const begun = this.#clock.elapsed();
    const listed = new Map<string, number>();
    const crowded = new Set<string>();
    this.#listed = listed;
    return {
      admits: (object) => {
        const { namespace } = object.metadata;
        const inOtherCaches = this.#quota.unitsOf(namespace) - this.unitsOf(namespace);
        const units = (listed.get(namespace) ?? 0) + unitsOf(object);
        if (inOtherCaches + units > this.#quota.most) {
          crowded.add(namespace);
          return false;
        }
        listed.set(namespace, units);
        return true;
      },
      end: () => {
        this.#crowded = crowded;
        this.#listed = new Map();
        this.#isListUseful = false;
        this.#listedAt = this.#clock.elapsed();
        this.#listMs = this.#listedAt - begun;
      },
    };
  }
}

/** Counts the units that a namespace gains when an object takes the place of another; undefined for none. */
function growthOf(object: CustomObject | undefined, oldObject: CustomObject | undefined): number {
  return (object === undefined ? 0 : unitsOf(object)) - (oldObject === undefined ? 0 : unitsOf(oldObject));
}

function unitsOf({ spec, metadata }: CustomObject): number {
  return 1 + Math.floor((sizeOf(spec) + sizeOf(metadata.annotations) + sizeOf(metadata.labels)) / charactersPerUnit);
}

/** Estimates the characters of a value; an entry of a list is never free. */
function sizeOf(value: unknown): number {
  if (typeof value === 'string') return value.length;
  if (typeof value !== 'object' || value === null) return 0;
  let sum = 0;
  // Asked for each object again and again: a list of its values each time would have to be collected.
  for (const key in value) sum += 16 + sizeOf((value as Readonly<Record<string, unknown>>)[key]);
  return sum;
}
