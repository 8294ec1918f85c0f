/**
 * How the work passes from one leader to the next. Whoever waits follows everything, but a watch may lag: what it shows may be
 * gone, or have come back as something else, and would be made or removed once more.
 */

import type { KindName } from '@rolecall/crds';
import type { CustomObject } from './resources/custom-object.ts';
import type { Cache } from './runtime/cache.ts';
import { type Clock, sleep } from './runtime/clock.ts';
import type { Handover } from './runtime/lease.ts';

export type Caches = ReadonlyMap<KindName, Cache<CustomObject>>;

/** Whether everything of every kind was listed. */
export const areSynced = (caches: Caches): boolean => [...caches.values()].every((cache) => cache.isSynced());

/** How long watches may take to bring what the leader before had seen, in milliseconds, and how often that is looked at. */
const patienceMs = 1_000;
const everyMs = 10;

/** What a leader has done that it has not seen yet: then nobody can tell what the next one has to have seen. */
export interface Unseen {
  /** A write got no answer; it may have been done all the same. */
  readonly unanswered: () => void;
  /** The last finalizer of an object was removed. The answer to that does not tell the version at which it is gone. */
  readonly removed: (uid: string) => void;
  readonly gone: (uid: string) => void;
  readonly isThere: () => boolean;
}

export function createUnseen(): Unseen {
  const leaving = new Set<string>();
  let isUnanswered = false;
  return {
    unanswered: () => {
      isUnanswered = true;
    },
    removed: (uid) => {
      leaving.add(uid);
    },
    gone: (uid) => {
      leaving.delete(uid);
    },
    isThere: () => isUnanswered || leaving.size > 0,
  };
}

/** What whoever leads next has to have seen; undefined where that is not known. */
export function handOver(caches: Caches, unseen: Unseen): Handover | undefined {
  if (unseen.isThere() || !areSynced(caches)) return undefined;
  return Object.fromEntries([...caches].map(([kind, cache]) => [kind, cache.newest() ?? '']));
}

/**
 * Waits until everything was seen that the leader before had seen.
 *
 * @returns false where that does not come about, or nobody knows what it had seen: only a new list tells then
 */
export async function catchUp(
  caches: Caches,
  handover: Handover | undefined,
  clock: Clock,
  signal: AbortSignal,
): Promise<boolean> {
  if (handover === undefined) return false;
  const needed = Object.entries(handover);
  const byKind: ReadonlyMap<string, Cache<CustomObject>> = caches;
  const hasSeenAll = (): boolean => needed.every(([kind, version]) => byKind.get(kind)?.hasSeen(version) === true);
  const begun = clock.elapsed();
  while (!hasSeenAll()) {
    if (clock.elapsed() - begun >= patienceMs || !(await sleep(clock, everyMs, signal))) return false;
  }
  return areSynced(caches);
}
