import type { ExactCollection, Rails } from '@rolecall/crds';
import type { AccessChange } from './review/access-change.ts';
import { type Effect, effects, type Note, type Refusal, type Step } from './step.ts';

/** What a run would do, as data: it can be saved, read in a review, and run later. */
export interface Plan {
  /** The version of this shape. */
  format: 1;
  /** When it was made: ISO 8601, UTC. */
  createdAt: string;
  /** The workspace it was made for. */
  workspace: { url: string; name?: string };
  /** In an order in which they could run one after another. */
  steps: Step[];
  /** What objects that are only observed would need; never run. */
  observed: Step[];
  /** Why the plan may not run; empty when it may. */
  refusals: Refusal[];
  notes: Note[];
  /** What the steps do to access, where that was asked for. */
  access?: AccessChange[];
  /** What was compared, so that a reader sees what "no changes" means. */
  compared: Record<string, number>;
  exact: readonly ExactCollection[];
  rails: Rails;
  /** Stands for everything that was read: two plans of one run are the same where this is. */
  digest: string;
}

/** How many grants and revocations there are, and how many objects each other effect has: a removal may take two calls. */
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

export const isEmpty = (plan: Pick<Plan, 'steps'>): boolean => plan.steps.length === 0;
export const isRefused = (plan: Pick<Plan, 'refusals'>): boolean => plan.refusals.length > 0;
