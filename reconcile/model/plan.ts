import type { ExactCollection, Rails } from '@rolecall/crds';
import type { AccessChange } from './access-change.ts';
import { type Effect, effects, type Note, type Refusal, type Step, type StepOperation } from './step.ts';

/**
 * What is in a workspace that no definition declares and that stays there, by collection. A collection that was not read as a whole
 * is absent. `names` is there only where it was asked for.
 */
export type Undeclared = Partial<Record<ExactCollection, { count: number; names?: string[] }>>;

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
  /** Lists of steps that many steps wait for, by the name that stands in their `after`: `gate 1`. */
  gates?: Record<string, string[]>;
  /** What objects that are only observed would need; never run. */
  observed: Step[];
  /** What the refusals hold up; never run. */
  held: Step[];
  /** Why the steps in `held` may not run; empty where all may. */
  refusals: Refusal[];
  notes: Note[];
  /** What the steps do to access, where that was asked for. */
  access?: AccessChange[];
  /** What is taken away, with what falls along: how many of each. */
  removals?: Removals;
  /** What is in the workspace and not declared, and stays. */
  undeclared?: Undeclared;
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

const takers: Readonly<Partial<Record<StepOperation, string>>> = {
  deletePermission: 'permissions',
  removeRolePerson: 'members',
  removeRoleDataSource: 'members',
  lockPerson: 'locks',
  deletePerson: 'people',
  deleteRole: 'roles',
  deleteDataSource: 'dataSources',
  deleteSnippet: 'snippets',
};

/** How much is taken away, by what it is: `permissions`, `members` of roles, `locks` of people, and each kind of object. */
export type Removals = Record<string, number>;

/**
 * Counts every end of access that the steps bring. An object that is replaced is made again, and does not count.
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
  for (const { operation, effect } of steps) {
    const what = takers[operation];
    if (what === undefined || effect === 'replace') continue;
    // A person is locked before they are deleted: that is one removal.
    if (operation !== 'lockPerson' || effect === 'change') add(what, 1);
  }
  for (const { step, permissions } of cascade) {
    if (step.effect !== 'replace' && permissions.length > 0) add('permissions', permissions.length);
  }
  return removals;
}

export const isEmpty = (plan: Pick<Plan, 'steps'>): boolean => plan.steps.length === 0;
export const isRefused = (plan: Pick<Plan, 'refusals'>): boolean => plan.refusals.length > 0;
