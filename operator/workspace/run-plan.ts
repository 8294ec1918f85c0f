/** Plans a workspace without what rails refuse, and runs the steps of a plan. */

import { CallError, type Client } from '@rolecall/api';
import { defaultRails } from '@rolecall/crds';
import {
  converge,
  type DesiredState,
  findUndeclared,
  holdBack,
  isRefused,
  label,
  makePlanWithClaims,
  type Plan,
  type PlanOptions,
  type Refusal,
  type Step,
  type Undeclared,
  type View,
} from '@rolecall/reconcile';
import type { Outcome } from '../status/conditions.ts';
import { failed as failureOf, isPermanent, refused, waiting } from '../status/outcomes.ts';

/** Rails that refuse one object by itself; the other objects of the plan need not wait for it. */
const objectRails: ReadonlySet<Refusal['rail']> = new Set([
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
  /** Objects that a rail holds back, with their outcome. */
  readonly held: ReadonlyMap<string, Outcome>;
  /** What keeps undeclared objects from being removed, if anything does. */
  readonly removals: readonly Refusal[];
  /** What the workspace has and no object declares, as far as it was read; without what the plan removes. */
  readonly undeclared: Undeclared;
}

/**
 * Makes a plan that may run: without the objects that a rail refuses, and without removals of what is not declared when a
 * rail refuses those.
 *
 * @throws what `makePlan` throws
 */
export async function planAllowed(state: DesiredState, view: View, options: PlanOptions): Promise<Planned> {
  const held = new Map<string, Refusal[]>();
  let removals: readonly Refusal[] = [];
  let { exact } = state;
  const known = new Set(state.objects.map(label));
  const isOfObject = ({ rail, objects: names }: Refusal): boolean =>
    objectRails.has(rail) || (rail === 'first-removal' && names.some((one) => known.has(one)));
  for (;;) {
    const objects = state.objects.map((object) => (held.has(label(object)) ? holdBack(object) : object));
    const { plan, claimed } = await makePlanWithClaims({ ...state, objects, exact }, view, options);
    const result = async (allowed: Plan): Promise<Planned> => {
      const compared = { objects, claimed, steps: allowed.steps };
      const undeclared = await findUndeclared(compared, view, options.now, false);
      const outcomes = new Map([...held].map(([name, all]) => [name, refused(all)]));
      return { plan: allowed, held: outcomes, removals, undeclared };
    };
    if (!isRefused(plan)) return result(plan);
    const others = plan.refusals.filter((refusal) => !isOfObject(refusal));
    if (others.length > 0 && exact.length > 0) {
      removals = others;
      exact = [];
      continue;
    }
    if (!holdRefused(plan, held, known)) return result({ ...plan, steps: [], refusals: [] });
  }
}

/**
 * Holds back the objects that the refusals of a plan name; where they name none, those that take something away, or all.
 *
 * @returns whether there is anything left to plan without them
 */
function holdRefused(plan: Plan, held: Map<string, Refusal[]>, known: ReadonlySet<string>): boolean {
  const before = held.size;
  const hold = (name: string, refusals: readonly Refusal[]): void =>
    void held.set(name, [...(held.get(name) ?? []), ...refusals]);
  for (const refusal of plan.refusals) {
    for (const name of refusal.objects.filter((one) => known.has(one))) hold(name, [refusal]);
  }
  if (held.size > before) return true;
  const taking = plan.steps.filter(({ effect }) => effect === 'revoke' || effect === 'remove' || effect === 'replace');
  const blamed = new Set((taking.length > 0 ? taking : plan.steps).map(({ object }) => label(object)));
  for (const name of blamed) if (!held.has(name)) hold(name, plan.refusals);
  return held.size > before && [...blamed].some((name) => known.has(name));
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
  /** Called for each step that was made, as soon as it is. */
  readonly onStep?: (step: Step) => void;
  /** Called for each object all of whose steps have succeeded, as soon as they have. */
  readonly onObject: (label: string, id: string | undefined) => void;
}

export interface Ran {
  /** Objects whose steps did not all succeed, and the first error. */
  readonly failed: ReadonlyMap<string, { readonly outcome: Outcome; readonly error?: Error }>;
  /** Objects that the service refused for good. */
  readonly refused: ReadonlySet<string>;
  /** Whether the workspace may differ from the view. */
  readonly isDoubtful: boolean;
}

/** Runs steps that were not planned with the rails. */
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
      if (step.operation === `create${step.object.kind}`) noteId(ids, name, answer);
      const rest = (left.get(name) ?? 1) - 1;
      left.set(name, rest);
      if (rest === 0) onObject(name, ids.get(name));
    },
  });
  const failed = new Map<string, { outcome: Outcome; error?: Error }>();
  for (const { step, because } of notRun) {
    failed.set(label(step.object), { outcome: waiting('Waiting', `It waits: ${because}.`) });
  }
  const refusedObjects = new Set<string>();
  for (const { step, error } of failures) {
    failed.set(label(step.object), { outcome: failureOf(error), error });
    if (isPermanent(error)) refusedObjects.add(label(step.object));
  }
  // A refusal changes nothing. Any other error may come after the change was made, or because others changed something.
  const isDoubtful = failures.some(({ error }) => error instanceof CallError && !isPermanent(error));
  return { failed, refused: refusedObjects, isDoubtful };
}

function noteId(ids: Map<string, string>, name: string, answer: unknown): void {
  // The answer was checked by the client; what is made has an id.
  const { id } = answer as { id?: unknown };
  if (typeof id === 'string' && !ids.has(name)) ids.set(name, id);
}
