import { label } from '../model/desired.ts';
import type { Plan } from '../model/plan.ts';
import { subjectOf } from '../operations/table.ts';

/** A grant of a saved plan whose window has ended since the plan was made. */
export interface Ended {
  /** `Permission/ada-billing`. */
  object: string;
  /** ISO 8601, UTC. */
  expiresAt: string;
}

/**
 * The grants whose window has ended. A plan made now would refuse them, or leave them out.
 *
 * @param plan a window that had ended when the plan was made has ended on purpose
 */
export function findEnded({ steps, createdAt }: Pick<Plan, 'steps' | 'createdAt'>, now: Date): Ended[] {
  return steps.flatMap((step) => {
    if (subjectOf(step) !== 'permission') return [];
    const { startsAt = '', duration, expiresAt = '' } = step.body ?? {};
    const end = duration === undefined ? Date.parse(expiresAt) : Date.parse(startsAt) + duration * 1000;
    if (Number.isNaN(end) || end > now.getTime() || end <= Date.parse(createdAt)) return [];
    return [{ object: label(step.object), expiresAt: new Date(end).toISOString() }];
  });
}
