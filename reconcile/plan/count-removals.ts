import type { Removals } from '../model/plan.ts';
import type { Step } from '../model/step.ts';
import { subjectTable } from '../operations/subjects.ts';
import { actOf, does, isOfMembership, subjectOf } from '../operations/table.ts';

/**
 * Counts every end of access that the steps bring. A grant that lasts only for the run does not count.
 *
 * @param cascade what falls along with a step that removes
 */
export function countRemovals(
  steps: readonly Step[],
  cascade: readonly { step: Step; permissions: readonly unknown[] }[] = [],
): Removals {
  const removals: Removals = {};
  const add = (what: string, number: number): void => {
    removals[what] = (removals[what] ?? 0) + number;
  };
  for (const step of steps) {
    const what = step.effect === 'replace' ? undefined : removedBy(step);
    if (what !== undefined) add(what, 1);
  }
  for (const { step, permissions } of cascade) {
    if (step.effect !== 'replace' && permissions.length > 0) add('permissions', permissions.length);
  }
  return removals;
}

function removedBy(step: Step): string | undefined {
  // A person is locked before they are deleted: that is one removal.
  if (does(step, 'lock', 'person')) return step.effect === 'change' ? 'locks' : undefined;
  if (actOf(step) !== 'delete') return undefined;
  return isOfMembership(step) ? 'members' : subjectTable[subjectOf(step)].collection;
}
