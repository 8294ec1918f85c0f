/** Permissions of which only the length is declared and that have not begun: their windows are fixed as they are granted. */

import { mapping } from '@rolecall/crds';
import { label, type Step } from '@rolecall/reconcile';
import type { Verdict } from '../status/conditions.ts';
import { granting } from '../status/outcomes.ts';
import type { Desires } from './desired-state.ts';
import type { Member } from './object-index.ts';

export interface Beginnings {
  /** Writes down the window of what a step grants, before it does: whoever comes after a crash grants the same one. */
  readonly before: (step: Step) => Promise<void>;
  /** Whether a permission has a window. What waits, is paused or only observed has none yet, and loses nothing of its length. */
  readonly hasBegun: (label: string) => boolean;
  /** Whether it claims what an older object has that may begin in this look: then it begins with that. */
  readonly follows: (label: string) => boolean;
}

/** Follows what begins in one look at a workspace. */
export function createBeginnings(
  { members, conflicts, beginning }: Desires,
  remember: (member: Member, verdict: Verdict) => Promise<void>,
): Beginnings {
  const begun = new Set<string>();
  const ownerOf = (name: string): string => conflicts.get(name)?.owner ?? '';
  return {
    before: async ({ operation, object }) => {
      const name = label(object);
      const member = members.get(name);
      if (operation !== 'createPermission' || !beginning.has(name) || member?.definition.kind !== 'Permission') return;
      const { startsAt, expiresAt } = member.definition.spec;
      await remember(member, { ...granting, startsAt, expiresAt });
      begun.add(name);
    },
    hasBegun: (name) => !beginning.has(name) || begun.has(name) || begun.has(ownerOf(name)),
    follows: (name) => beginning.has(name) && beginning.has(ownerOf(name)),
  };
}

/** A step as it is told of one that is only observed: a window that begins now would be another one at each look. */
export function withoutMoment(step: Step, member: Member | undefined): Step {
  if (step.operation !== 'createPermission' || member?.definition.kind !== 'Permission') return step;
  const { person, dataSource } = member.definition.spec;
  const { duration } = mapping(member.object.spec);
  const length = typeof duration === 'number' ? `${duration} s` : String(duration);
  return { ...step, summary: `grant ${person} ${dataSource} for ${length}` };
}
