/** What follows for a workspace's objects when one of them comes, changes or goes: who is looked at, and what is forgotten. */

import { isDeepStrictEqual } from 'node:util';
import { isLeaving, isRequested, labelOf } from './resources/custom-object.ts';
import type { Priority, WorkQueue } from './runtime/work-queue.ts';
import type { Telling } from './status/status-manager.ts';
import type { Memory } from './workspace/context.ts';
import { affectedBy, twins } from './workspace/dependency-closure.ts';
import { sourceToken, tokensOf } from './workspace/index-keys.ts';
import type { Member, Members } from './workspace/object-index.ts';

export interface ArrivalsOptions {
  readonly members: Members;
  readonly memory: Memory;
  readonly queue: WorkQueue;
  readonly telling: Pick<Telling, 'open' | 'failing' | 'forgetWindow'>;
}

export interface Arrivals {
  /** An object is new, or another wish. */
  readonly put: (member: Member, priority: Priority) => void;
  readonly remove: (label: string) => void;
  /** A Secret or ConfigMap is another one: whatever takes something from it is looked at. */
  readonly sourceChanged: (kind: 'secrets' | 'configmaps', name: string) => void;
}

/** Follows the objects of a workspace. */
export function createArrivals({ members, memory, queue, telling }: ArrivalsOptions): Arrivals {
  const { open, failing, forgetWindow } = telling;

  /** What was refused is worth another try, though the wish may be the same; also where the refusal is still to come. */
  function touch(label: string): void {
    memory.refused.delete(label);
    memory.touched.add(label);
  }

  /** Somebody else may be in a protected role now, or it may be protected no more. */
  function freeLastMembers(): void {
    for (const label of memory.lastMembers) queue.add(label);
  }

  return {
    put: (member, priority) => {
      const label = labelOf(member.object);
      const before = members.get(label);
      if (isRequested(member.object)) memory.isStale ??= 'drift';
      // The first list brings all of them anyway.
      const isFirstList = priority === 'periodic';
      const isSame =
        before !== undefined &&
        isLeaving(before.object) === isLeaving(member.object) &&
        isDeepStrictEqual(members.ownOf(label), tokensOf(member.definition).own);
      const around = (): Iterable<string> =>
        isFirstList ? [] : isSame ? twins(label, members) : affectedBy(label, members);
      const affected = new Set(around());
      members.put(member);
      open.add(label);
      failing.delete(label);
      touch(label);
      queue.forget(label);
      queue.add(label, priority);
      for (const one of around()) affected.add(one);
      for (const one of affected) queue.add(one);
      if (!isFirstList) freeLastMembers();
    },
    remove: (label) => {
      const affected = affectedBy(label, members);
      members.remove(label);
      for (const labels of [open, failing, memory.renewed, memory.touched, memory.lastMembers]) labels.delete(label);
      memory.refused.delete(label);
      forgetWindow(label);
      queue.forget(label);
      for (const one of affected) queue.add(one);
      freeLastMembers();
    },
    sourceChanged: (kind, name) => {
      for (const label of members.taking(sourceToken(kind, name))) {
        open.add(label);
        touch(label);
        memory.renewed.add(label);
        queue.add(label);
      }
    },
  };
}
