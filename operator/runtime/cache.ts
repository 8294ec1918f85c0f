import type { KubeObject, Listing, ReflectorSink } from './reflector.ts';
import { isComparable, isOlderVersion, newerVersion } from './resource-version.ts';

/** One object that is new, other than it was, or gone. */
export interface CacheChange<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
  /** True if the API server reported its deletion. A list that lacks it does not: it may be of an older state, as from a backup. */
  readonly isDeleted?: boolean;
}

/** Bounds what a cache keeps. An object that finds no room is left out, as if it were not there. */
export interface Room<T> {
  /** True if there is room for an object in place of another one; if not, it counts as left out. */
  readonly admits: (object: T, oldObject: T | undefined) => boolean;
  /** Notes that the cache has an object now in place of another one; undefined for none. */
  readonly kept: (object: T | undefined, oldObject: T | undefined) => void;
  /** Notes that an object is gone that was left out. */
  readonly gone: (object: T) => void;
  /** Begins a list, which decides anew what is left out. */
  readonly list: () => { readonly admits: (object: T) => boolean; readonly end: () => void };
}

/** `namespace/name`, or the name alone without a namespace. */
export function keyOf({
  metadata,
}: {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** A copy of a collection in memory. A reflector fills it, and it reports changes. */
export class Cache<T extends KubeObject> implements ReflectorSink<T> {
  readonly #onChange: (change: CacheChange<T>) => void;
  readonly #room: Room<T> | undefined;
  readonly #objects = new Map<string, T>();
  /** Deleted objects and their versions, so that a late answer or event does not bring them back. */
  readonly #gone = new Map<string, string>();
  readonly #synced = Promise.withResolvers<undefined>();
  #isSynced = false;
  #newest: string | undefined;
  #seen: string | undefined;

  /**
   * @param onChange called for each change, in order; for a first list, once for each object
   * @param room default: as much as there is
   */
  constructor(onChange: (change: CacheChange<T>) => void, room?: Room<T>) {
    this.#onChange = onChange;
    this.#room = room;
  }

  get(key: string): T | undefined {
    return this.#objects.get(key);
  }

  values(): IterableIterator<T> {
    return this.#objects.values();
  }

  size(): number {
    return this.#objects.size;
  }

  /** Resolves once everything has been listed for the first time. */
  get synced(): Promise<void> {
    return this.#synced.promise;
  }

  isSynced(): boolean {
    return this.#isSynced;
  }

  /** The newest known version: of a list, an event or our own write. */
  newest(): string | undefined {
    return this.#newest;
  }

  /** True if everything up to a version of the collection has arrived by a list or the watch. */
  hasSeen(version: string): boolean {
    return isComparable(version) && isComparable(this.#seen) && !isOlderVersion(this.#seen, version);
  }

  /** Takes the answer to a write of our own, so that the next reconcile sees it before the watch brings it. */
  wrote(object: T): void {
    this.#put(keyOf(object), object);
  }

  /**
   * Takes the answer to the write that let a deleted object go. It has the version of before: that the object is gone, the watch tells later.
   */
  letGo(object: T): void {
    const key = keyOf(object);
    const oldObject = this.#objects.get(key);
    if (oldObject?.metadata.uid === object.metadata.uid) this.#keep(key, object, oldObject);
  }

  #put(key: string, object: T): void {
    const oldObject = this.#objects.get(key);
    const { resourceVersion, uid } = object.metadata;
    this.#newest = newerVersion(this.#newest, resourceVersion);
    const lastVersion = oldObject === undefined ? this.#gone.get(uid) : oldObject.metadata.resourceVersion;
    if (isOlderVersion(resourceVersion, lastVersion)) return;
    // The watch brings our own writes again; the object in the cache keeps the data derived from it.
    if (oldObject?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    this.#keep(key, object, oldObject);
  }

  #keep(key: string, object: T, oldObject: T | undefined): void {
    this.#objects.set(key, object);
    this.#room?.kept(object, oldObject);
    // The same name with another uid is another object: the old one is reported as gone.
    if (oldObject !== undefined && oldObject.metadata.uid !== object.metadata.uid) {
      this.#onChange({ key, before: oldObject, after: undefined });
      this.#onChange({ key, before: undefined, after: object });
    } else this.#onChange({ key, before: oldObject, after: object });
  }

  reached(version: string): void {
    this.#seen = newerVersion(this.#seen, version);
  }

  changed(object: T): void {
    this.#seen = newerVersion(this.#seen, object.metadata.resourceVersion);
    const key = keyOf(object);
    if (this.#room?.admits(object, this.#objects.get(key)) === false) {
      this.#newest = newerVersion(this.#newest, object.metadata.resourceVersion);
      this.#remove(key);
    } else this.wrote(object);
  }

  deleted(object: T): void {
    const key = keyOf(object);
    const { uid, resourceVersion } = object.metadata;
    this.#seen = newerVersion(this.#seen, resourceVersion);
    this.#newest = newerVersion(this.#newest, resourceVersion);
    const oldObject = this.#objects.get(key);
    if (this.#gone.size >= rememberedDeletions) this.#gone.delete(this.#gone.keys().next().value ?? '');
    this.#gone.set(uid, resourceVersion);
    // An event about an earlier object of that name says nothing about the one that is there.
    if (oldObject?.metadata.uid === uid) this.#remove(key, true);
    else this.#room?.gone(object);
  }

  list(): Listing<T> {
    const room = this.#room?.list();
    const objects = new Map<string, T>();
    return {
      add: (object) => {
        if (room?.admits(object) === false) return;
        const key = keyOf(object);
        objects.set(key, object);
        // A first list is handled while the API server encodes the rest of it.
        if (!this.#isSynced) this.#put(key, object);
      },
      end: (version) => {
        room?.end();
        this.#replace(objects, version);
      },
    };
  }

  #replace(all: ReadonlyMap<string, T>, version: string): void {
    this.#seen = newerVersion(this.#seen, version);
    this.#newest = newerVersion(this.#newest, version);
    for (const key of [...this.#objects.keys()]) if (!all.has(key)) this.#remove(key);
    this.#gone.clear();
    for (const [key, object] of all) this.#put(key, object);
    this.#isSynced = true;
    this.#synced.resolve(undefined);
  }

  #remove(key: string, isDeleted = false): void {
    const oldObject = this.#objects.get(key);
    if (oldObject === undefined) return;
    this.#objects.delete(key);
    this.#room?.kept(undefined, oldObject);
    this.#onChange({ key, before: oldObject, after: undefined, isDeleted });
  }
}

const rememberedDeletions = 1_000;
