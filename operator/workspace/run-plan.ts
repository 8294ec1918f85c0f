/** Plans what the objects of one workspace want, without those that may not, and runs it. */

import { CallError, type Client } from '@rolecall/api';
import { defaultRails } from '@rolecall/crds';
import {
  converge,
  type DesiredState,
  holdBack,
  isRefused,
  label,
  makePlan,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Step,
  type View,
} from '@rolecall/reconcile';
import type { Verdict } from '../status/conditions.ts';
import { failed as failureOf, isPermanent, refused, waiting } from '../status/outcomes.ts';

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
  const known = new Set(state.objects.map(label));
  for (;;) {
    const objects = state.objects.map((object) => (held.has(label(object)) ? holdBack(object) : object));
    const plan = await makePlan({ ...state, objects, exact }, view, options);
    if (!isRefused(plan)) return { plan, held: verdictsOf(held), removals };
    const isOwn = ({ rail, objects: names }: Refusal): boolean =>
      ownRails.has(rail) || (rail === 'first-removal' && names.some((one) => known.has(one)));
    const others = plan.refusals.filter((refusal) => !isOwn(refusal));
    if (others.length > 0 && exact.length > 0) {
      removals = others;
      exact = [];
      continue;
    }
    const before = held.size;
    const hold = (name: string, refusals: readonly Refusal[]): void =>
      void held.set(name, [...(held.get(name) ?? []), ...refusals]);
    for (const refusal of plan.refusals) {
      for (const name of refusal.objects.filter((one) => known.has(one))) hold(name, [refusal]);
    }
    if (held.size > before) continue;
    // Whatever takes something away is to blame where nobody in particular is; then, everything.
    const taking = plan.steps.filter(
      ({ effect }) => effect === 'revoke' || effect === 'remove' || effect === 'replace',
    );
    const blamed = new Set((taking.length > 0 ? taking : plan.steps).map(({ object }) => label(object)));
    for (const name of blamed) if (!held.has(name)) hold(name, plan.refusals);
    if (held.size > before && [...blamed].some((name) => known.has(name))) continue;
    return { plan: { ...plan, steps: [], refusals: [] }, held: verdictsOf(held), removals };
  }
}

function verdictsOf(held: ReadonlyMap<string, readonly Refusal[]>): Map<string, Verdict> {
  return new Map([...held].map(([name, all]) => [name, refused(all)]));
}

export interface RunOptions {
  readonly client: Client;
  /** Takes in what the steps change, as each ends. */
  readonly view: View;
  readonly resolveSecret: PlanOptions['resolveSecret'];
  readonly signal: AbortSignal;
  readonly concurrency: number;
  /** Awaited before each step; where it rejects, the step is not made. */
  readonly before?: (step: Step) => Promise<void>;
  /** Told of each step that was made, as soon as it is. */
  readonly onStep?: (step: Step) => void;
  /** Told of each object all of whose steps have succeeded, as soon as they have. */
  readonly onObject: (label: string, id: string | undefined) => void;
}

export interface Ran {
  /** Objects whose steps did not all succeed, and the first thing that went wrong. */
  readonly failed: ReadonlyMap<string, { readonly verdict: Verdict; readonly error?: Error }>;
  /** Objects that the service refused as such, so that asking again is of no use. */
  readonly refused: ReadonlySet<string>;
  /** Whether the workspace may be other than the view has it. */
  readonly isDoubtful: boolean;
}

/** Runs steps that no rail has anything against. */
export function runSteps(steps: Step[], options: RunOptions): Promise<Ran> {
  const rest = { workspace: { url: '' }, createdAt: '', compared: {}, exact: [], rails: defaultRails, digest: '' };
  return runPlan({ ...rest, format: 1, steps, observed: [], refusals: [], notes: [] }, options);
}

/** Runs a plan that may run. */
export async function runPlan(plan: Plan, options: RunOptions): Promise<Ran> {
  const { client, view, resolveSecret, signal, concurrency, before, onStep, onObject } = options;
  const left = new Map<string, number>();
  for (const { object } of plan.steps) left.set(label(object), (left.get(label(object)) ?? 0) + 1);
  const ids = new Map<string, string>();
  const { failed: failures, notRun } = await converge(plan, client, {
    resolveSecret,
    signal,
    concurrency,
    ...(before === undefined ? {} : { before }),
    onProgress: ({ step, outcome, answer, ids: made = new Map<string, string>() }) => {
      if (outcome !== 'done') return;
      view.take(step, answer, made);
      onStep?.(step);
      const name = label(step.object);
      if (step.operation === `create${step.object.kind}`) note(ids, name, answer);
      const rest = (left.get(name) ?? 1) - 1;
      left.set(name, rest);
      if (rest === 0) onObject(name, ids.get(name));
    },
  });
  const failed = new Map<string, { verdict: Verdict; error?: Error }>();
  for (const { step, because } of notRun) {
    failed.set(label(step.object), { verdict: waiting('Waiting', `It waits: ${because}.`) });
  }
  const refusedObjects = new Set<string>();
  for (const { step, error } of failures) {
    failed.set(label(step.object), { verdict: failureOf(error), error });
    if (isPermanent(error)) refusedObjects.add(label(step.object));
  }
  // A refusal leaves everything as it was; what else went wrong may have been done all the same, or shows that others were here.
  const isDoubtful = failures.some(({ error }) => error instanceof CallError && !isPermanent(error));
  return { failed, refused: refusedObjects, isDoubtful };
}

function note(ids: Map<string, string>, name: string, answer: unknown): void {
  // The answer was checked by the client; what is made has an id.
  const { id } = answer as { id?: unknown };
  if (typeof id === 'string' && !ids.has(name)) ids.set(name, id);
}
