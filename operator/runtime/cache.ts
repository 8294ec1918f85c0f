/** A copy of a collection in memory, which a reflector fills, and which tells what changed. */

import type { KubeObject, ReflectorSink } from './reflector.ts';

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
  /** Takes what the server answered to a write of our own, so that the next look sees it before the watch tells. */
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

/** @param onChange told of each change, in order; of a first list, once for each object */
export function createCache<T extends KubeObject>(onChange: (change: CacheChange<T>) => void): Cache<T> {
  const objects = new Map<string, T>();
  /** What was deleted, at which version, so that an answer or event that comes late does not bring it back. */
  const gone = new Map<string, string>();
  const synced = Promise.withResolvers<undefined>();
  let isSynced = false;

  function put(object: T): void {
    const key = keyOf(object);
    const before = objects.get(key);
    if (before !== undefined && isOlder(object, before.metadata.resourceVersion)) return;
    if (before === undefined && isOlder(object, gone.get(object.metadata.uid))) return;
    objects.set(key, object);
    if (before?.metadata.resourceVersion === object.metadata.resourceVersion) return;
    // The same name, made anew, is another object: whoever follows the old one must hear that it is gone.
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
    wrote: put,
    changed: put,
    deleted(object) {
      const key = keyOf(object);
      const before = objects.get(key);
      if (gone.size >= rememberedDeletions) gone.delete(gone.keys().next().value ?? '');
      gone.set(object.metadata.uid, object.metadata.resourceVersion);
      // An event about an earlier object of that name says nothing about the one that is there.
      if (before === undefined || before.metadata.uid !== object.metadata.uid) return;
      remove(key);
    },
    replace(all) {
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

/** Versions are numbers that grow (Kubernetes documentation, "Resource versions"); a server that breaks that is believed. */
function isOlder({ metadata }: KubeObject, than: string | undefined): boolean {
  if (than === undefined || !/^\d+$/.test(than) || !/^\d+$/.test(metadata.resourceVersion)) return false;
  return BigInt(metadata.resourceVersion) < BigInt(than);
}
