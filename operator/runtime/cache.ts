/** A copy of a collection in memory, which a reflector fills and which reports what changed. */

import type { KubeObject, ReflectorSink } from './reflector.ts';
import { isComparable, isOlderVersion, newerVersion } from './resource-version.ts';

/** One object that is new, other than it was, or gone. */
export interface CacheChange<T> {
  readonly key: string;
  readonly before: T | undefined;
  readonly after: T | undefined;
}

export interface Cache<T extends KubeObject> extends ReflectorSink<T> {
  readonly get: (key: string) => T | undefined;
  readonly values: () => IterableIterator<T>;
  readonly size: () => number;
  /** Resolves once everything has been listed for the first time. */
  readonly synced: Promise<void>;
  readonly isSynced: () => boolean;
  /** The newest version that is known: of a list, an event or a write of our own. */
  readonly newest: () => string | undefined;
  /** Whether everything up to a version of the collection was listed, or came by the watch. */
  readonly hasSeen: (version: string) => boolean;
  /** Takes the answer to a write of our own, so that the next reconcile sees it before the watch brings it. */
  readonly wrote: (object: T) => void;
}

/** `namespace/name`, or the name alone where there is no namespace. */
export function keyOf({
  metadata,
}: {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}): string {
  return metadata.namespace === undefined ? metadata.name : `${metadata.namespace}/${metadata.name}`;
}

/** @param onChange called for each change, in order; for a first list, once for each object */
export function createCache<T extends KubeObject>(onChange: (change: CacheChange<T>) => void): Cache<T> {
  const objects = new Map<string, T>();
  /** What was deleted, at which version, so that an answer or event that comes late does not bring it back. */
  const gone = new Map<string, string>();
  const synced = Promise.withResolvers<undefined>();
  let isSynced = false;
  let newest: string | undefined;
  let seen: string | undefined;

  function put(object: T): void {
    const key = keyOf(object);
    const before = objects.get(key);
    const { resourceVersion, uid } = object.metadata;
    newest = newerVersion(newest, resourceVersion);
    if (isOlderVersion(resourceVersion, before === undefined ? gone.get(uid) : before.metadata.resourceVersion)) return;
    // The watch brings our own writes again; the object that is there keeps what was derived from it.
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    objects.set(key, object);
    // The same name with another uid is another object: the old one is reported as gone.
    if (before !== undefined && before.metadata.uid !== object.metadata.uid) {
      onChange({ key, before, after: undefined });
      onChange({ key, before: undefined, after: object });
    } else onChange({ key, before, after: object });
  }

  function remove(key: string): void {
    const before = objects.get(key);
    if (before === undefined) return;
    objects.delete(key);
    onChange({ key, before, after: undefined });
  }

  return {
    get: (key) => objects.get(key),
    values: () => objects.values(),
    size: () => objects.size,
    synced: synced.promise,
    isSynced: () => isSynced,
    newest: () => newest,
    hasSeen: (version) => isComparable(version) && isComparable(seen) && !isOlderVersion(seen, version),
    wrote: put,
    reached(version) {
      seen = newerVersion(seen, version);
    },
    changed(object) {
      seen = newerVersion(seen, object.metadata.resourceVersion);
      put(object);
    },
    deleted(object) {
      const key = keyOf(object);
      seen = newerVersion(seen, object.metadata.resourceVersion);
      newest = newerVersion(newest, object.metadata.resourceVersion);
      const before = objects.get(key);
      if (gone.size >= rememberedDeletions) gone.delete(gone.keys().next().value ?? '');
      gone.set(object.metadata.uid, object.metadata.resourceVersion);
      // An event about an earlier object of that name says nothing about the one that is there.
      if (before === undefined || before.metadata.uid !== object.metadata.uid) return;
      remove(key);
    },
    replace(all, version) {
      seen = newerVersion(seen, version);
      newest = newerVersion(newest, version);
      const keys = new Set(all.map(keyOf));
      for (const key of [...objects.keys()]) if (!keys.has(key)) remove(key);
      gone.clear();
      for (const object of all) put(object);
      isSynced = true;
      synced.resolve(undefined);
    },
  };
}

const rememberedDeletions = 1_000;
