/**
 * Passes the work from one leader to the next. A process that waits watches everything, but a watch may lag: what it shows may
 * be gone, or have come back as something else, and would be made or removed once more.
 */

import type { KindName } from '@rolecall/crds';
import type { CustomObject } from './resources/custom-object.ts';
import type { Cache } from './runtime/cache.ts';
import { type Clock, sleep } from './runtime/clock.ts';
import type { Handover } from './runtime/lease.ts';

export type Caches = ReadonlyMap<KindName, Cache<CustomObject>>;

/** True if everything of every kind was listed. */
export const areSynced = (caches: Caches): boolean => [...caches.values()].every((cache) => cache.isSynced());

/** The time in which watches must bring what the last leader had seen, and the time between two checks, in milliseconds. */
const timeoutMs = 1_000;
const everyMs = 10;

/** Writes of a leader that its own watches have not brought yet: until they do, it cannot say what the next leader has to have seen. */
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

/** The versions that the next leader has to have seen; undefined where they are not known. */
export function handOver(caches: Caches, unseen: Unseen): Handover | undefined {
  if (unseen.isThere() || !areSynced(caches)) return undefined;
  return Object.fromEntries([...caches].map(([kind, cache]) => [kind, cache.newest() ?? '']));
}

/**
 * Waits until everything was seen that the leader before had seen.
 *
 * @returns false where that does not come about, or it is not known what that leader had seen: then only a new list helps
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
    if (clock.elapsed() - begun >= timeoutMs || !(await sleep(clock, everyMs, signal))) return false;
  }
  return areSynced(caches);
}
