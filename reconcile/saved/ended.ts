import { label } from '../model/desired.ts';
import type { Plan } from '../model/plan.ts';

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
  return steps.flatMap(({ operation, body, object }) => {
    const { startsAt, duration, expiresAt } = body ?? {};
    if (operation !== 'createPermission' && operation !== 'updatePermission') return [];
    const isGrant = typeof startsAt === 'string' && typeof duration === 'number';
    const end = isGrant
      ? Date.parse(startsAt) + duration * 1000
      : Date.parse(typeof expiresAt === 'string' ? expiresAt : '');
    if (Number.isNaN(end) || end > now.getTime() || end <= Date.parse(createdAt)) return [];
    return [{ object: label(object), expiresAt: new Date(end).toISOString() }];
  });
}
