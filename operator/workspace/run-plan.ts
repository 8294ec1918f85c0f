/** Runs the steps of a plan. */

import { CallError, type Client } from '@rolecall/api';
import { converge, label, makes, type Plan, type PlanOptions, type Step, type View } from '@rolecall/reconcile';
import type { Outcome } from '../status/conditions.ts';
import { failed as failureOf, isPermanent, waiting } from '../status/outcomes.ts';

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
  /** Called with the id of what an object got, as soon as that is made. */
  readonly onMade?: (label: string, id: string) => void;
  /** Called for each object all of whose steps have succeeded, as soon as they have. */
  readonly onObject: (label: string, id: string | undefined) => void;
}

export interface Ran {
  /** Objects whose steps did not all succeed, and the first error. */
  readonly failed: ReadonlyMap<string, { readonly outcome: Outcome; readonly error?: Error }>;
  /** The ids of what was made, by the labels of the objects. */
  readonly made: ReadonlyMap<string, string>;
  /** Objects that the service refused for good. */
  readonly refused: ReadonlySet<string>;
  /** True if the workspace may differ from the view. */
  readonly isDoubtful: boolean;
}

/** Runs a plan that may run. */
export async function runPlan(plan: Plan, options: RunOptions): Promise<Ran> {
  const { client, view, resolveSecret, signal, concurrency, before, onStep, onMade, onObject } = options;
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
      const id = makes(step, step.object.kind) ? idIn(answer) : undefined;
      if (id !== undefined && !ids.has(name)) {
        ids.set(name, id);
        onMade?.(name, id);
      }
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
  return { failed, made: ids, refused: refusedObjects, isDoubtful };
}

function idIn(answer: unknown): string | undefined {
  // The answer was checked by the client; what is made has an id.
  const { id } = answer as { id?: unknown };
  return typeof id === 'string' ? id : undefined;
}
