import type { ExactCollection } from '@rolecall/crds';
import type { z } from 'zod';
import type { accessChange, accessWay, declarations, planSchema } from './plan-schema.ts';
import type { Step } from './step.ts';
import { type Effect, effects } from './step-names.ts';

/**
 * The objects of a workspace that no definition declares and that stay there, by collection. A collection that was not read as a whole is
 * absent. `names` is there only if it was asked for.
 */
export type Undeclared = Partial<Record<ExactCollection, { count: number; names?: string[] }>>;

/** The effects that a run would have, as data: they can be saved, read in a review, and run later. */
export type Plan = z.output<typeof planSchema>;

/** The declarations that the service is to remember of a set of definitions. */
export type Declarations = z.output<typeof declarations>;

/** The way in which a person reaches a data source: as a member of a role, or by a permission for a time. */
export type AccessWay = z.output<typeof accessWay>;

/** A plan's change of one person's access to one data source, now or at a later time that is granted. */
export type AccessChange = z.output<typeof accessChange>;

/** Counts grants and revocations, and for each other effect its objects: a removal may take two calls. */
export function countEffects(steps: readonly Step[]): Record<Effect, number> {
  const counts = Object.fromEntries(effects.map((effect) => [effect, 0])) as Record<Effect, number>;
  const seen = new Set<string>();
  for (const { id, effect, object } of steps) {
    const counted = effect === 'grant' || effect === 'revoke' ? id : `${effect} ${object.kind}/${object.name}`;
    if (seen.has(counted)) continue;
    seen.add(counted);
    counts[effect] += 1;
  }
  return counts;
}

/** Counts of what is taken away: `permissions`, `members` of roles, `locks` of people, and each kind of object. */
export type Removals = Record<string, number>;

export const isEmpty = (plan: Pick<Plan, 'steps'>): boolean => plan.steps.length === 0;
export const isRefused = (plan: Pick<Plan, 'refusals'>): boolean => plan.refusals.length > 0;
