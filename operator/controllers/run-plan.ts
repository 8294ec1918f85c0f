/** Plans what the objects of one workspace want, without those that may not, and runs it. */

import type { Client } from '@rolecall/api';
import {
  converge,
  type DesiredState,
  defaultRails,
  isRefused,
  label,
  makePlan,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Step,
  type View,
} from '@rolecall/reconcile';
import type { Verdict } from './conditions.ts';
import { failed, isPermanent, refused, waiting } from './verdicts.ts';

/** Rails that one object runs into by itself; whoever else is in the plan need not wait for it. */
const ownRails: ReadonlySet<Refusal['rail']> = new Set([
  'ambiguous',
  'missing-reference',
  'email-taken',
  'window-past',
  'password-undeclared',
  'replace-person',
  'protected',
] as const);

export interface Planned {
  readonly plan: Plan;
  /** Objects that a rail holds back, and what to say of them. */
  readonly held: ReadonlyMap<string, Verdict>;
  /** What keeps undeclared objects from being removed, if anything does. */
  readonly removals: readonly Refusal[];
}

/**
 * Makes a plan that may run: objects that a rail refuses are left out, and so are removals of what is not declared when a
 * rail refuses those.
 *
 * @throws what `makePlan` throws
 */
export async function planWithout(state: DesiredState, view: View, options: PlanOptions): Promise<Planned> {
  const held = new Map<string, Refusal[]>();
  let removals: readonly Refusal[] = [];
  let { exact } = state;
  for (;;) {
    const objects = state.objects.map((object) => (held.has(label(object)) ? { ...object, paused: true } : object));
    const plan = await makePlan({ ...state, objects, exact }, view, options);
    if (!isRefused(plan))
      return { plan, held: new Map([...held].map(([name, all]) => [name, refused(all)])), removals };
    const others = plan.refusals.filter(({ rail }) => !ownRails.has(rail));
    if (others.length > 0 && exact.length > 0) {
      removals = others;
      exact = [];
      continue;
    }
    const before = held.size;
    const known = new Set(state.objects.map(label));
    for (const refusal of plan.refusals) {
      for (const name of refusal.objects.filter((one) => known.has(one)))
        held.set(name, [...(held.get(name) ?? []), refusal]);
    }
    if (held.size > before) continue;
    // Nobody in particular is to blame: whatever is refused, nothing runs.
    return { plan: { ...plan, steps: [], refusals: [] }, held: new Map(), removals: plan.refusals };
  }
}

export interface RunOptions {
  readonly client: Client;
  readonly resolveSecret: PlanOptions['resolveSecret'];
  readonly signal: AbortSignal;
  readonly concurrency: number;
}

export interface Ran {
  /** Objects whose steps did not all succeed. */
  readonly verdicts: ReadonlyMap<string, Verdict>;
  /** The ids of what was made, by object. */
  readonly ids: ReadonlyMap<string, string>;
  /** Objects that the service refused as such, so that asking again is of no use. */
  readonly refused: ReadonlySet<string>;
  /** A failure that may pass; undefined where there was none. */
  readonly transient: Error | undefined;
  readonly count: number;
}

/** Runs steps that no rail has anything against. */
export function runSteps(steps: Step[], options: RunOptions): Promise<Ran> {
  const rest = { workspace: { url: '' }, createdAt: '', compared: {}, exact: [], rails: defaultRails, digest: '' };
  return runPlan({ ...rest, format: 1, steps, observed: [], refusals: [], notes: [] }, options);
}

/** Runs a plan that may run. */
export async function runPlan(plan: Plan, { client, resolveSecret, signal, concurrency }: RunOptions): Promise<Ran> {
  const ids = new Map<string, string>();
  const {
    done,
    failed: failures,
    notRun,
  } = await converge(plan, client, {
    resolveSecret,
    signal,
    concurrency,
    onProgress: ({ step, outcome, answer }) => {
      if (outcome === 'done' && step.operation === `create${step.object.kind}`) note(ids, step, answer);
    },
  });
  const verdicts = new Map<string, Verdict>();
  for (const { step, because } of notRun) verdicts.set(label(step.object), waiting('Waiting', `It waits: ${because}.`));
  const refusedObjects = new Set<string>();
  for (const { step, error } of failures) {
    verdicts.set(label(step.object), failed(error));
    if (isPermanent(error)) refusedObjects.add(label(step.object));
  }
  const transient = failures.find(({ error }) => !isPermanent(error))?.error;
  return { verdicts, ids, refused: refusedObjects, transient, count: done.length + failures.length };
}

function note(ids: Map<string, string>, { object }: Step, answer: unknown): void {
  // The answer was checked by the client; what is made has an id.
  const { id } = answer as { id?: unknown };
  if (typeof id === 'string') ids.set(label(object), id);
}
