import {
  CallError,
  formatConnectionUri,
  type OperationId,
  ProblemError,
  parseConnectionUri,
  type RequestOf,
} from '@rolecall/api';
import { isRefused, type Plan } from './plan.ts';
import type { Surroundings } from './scope.ts';
import { isReference, isSecretUri, type Step, type StepValue } from './step.ts';
import type { Caller } from './view.ts';

export interface ConvergeOptions extends Pick<Surroundings, 'resolveSecret'> {
  /** How many calls run side by side at most. */
  concurrency?: number;
  /** Told of each step as it ends. */
  onProgress?: (progress: Progress) => void;
  /** Once aborted, no further step is begun; those in flight are finished. */
  signal?: AbortSignal;
}

export interface Progress {
  step: Step;
  outcome: 'done' | 'failed' | 'not-run';
  error?: Error;
  /** How many steps have ended, this one included, of how many. */
  ended: number;
  total: number;
}

export interface Failure {
  step: Step;
  error: Error;
  /** Whether the call may have been done all the same: the next run will see. */
  ambiguous: boolean;
}

/** What became of each step of the plan. */
export interface Converged {
  done: Step[];
  failed: Failure[];
  /** Not begun, because a step it waits for failed, or the run was interrupted. */
  notRun: { step: Step; because: string }[];
}

export const defaultConcurrency = 8;

/** A plan that was refused cannot be run. */
export class PlanRefusedError extends Error {
  override name = 'PlanRefusedError';
  readonly code = 'ERR_PLAN_REFUSED';
}

/**
 * Runs a plan: each step once the steps it waits for have succeeded, independent steps side by side. A step that fails
 * holds up only what waits for it. The client repeats what is safe to repeat; nothing is repeated here.
 *
 * @throws PlanRefusedError before the first call; failures of steps are in the result
 */
export async function converge(plan: Plan, client: Caller, options: ConvergeOptions): Promise<Converged> {
  if (isRefused(plan)) throw new PlanRefusedError('the plan was refused, so none of its steps may run');
  const run = createRun(plan.steps, options);
  const ids = new Map<string, string>();
  const workers = Array.from({ length: options.concurrency ?? defaultConcurrency }, async () => {
    for (let step = await run.next(); step !== undefined; step = await run.next()) {
      try {
        const answer = await perform(step, ids, client, options.resolveSecret);
        if (step.makes !== undefined) ids.set(step.makes, idIn(answer, step));
        run.succeed(step);
      } catch (error) {
        run.fail(step, error instanceof Error ? error : new Error(String(error)));
      }
    }
  });
  await Promise.all(workers);
  return run.result;
}

/** Hands out the steps that are ready, and keeps the books. */
function createRun(steps: readonly Step[], { onProgress, signal }: ConvergeOptions) {
  const result: Converged = { done: [], failed: [], notRun: [] };
  const waitingFor = new Map(steps.map((step) => [step.id, new Set(step.after)]));
  const dependants = new Map<string, Step[]>();
  for (const step of steps) for (const id of step.after) dependants.set(id, [...(dependants.get(id) ?? []), step]);
  const ready = steps.filter((step) => step.after.length === 0);
  const settled = new Set<string>();
  let inFlight = 0;
  let wake: (() => void)[] = [];

  function settle(step: Step, outcome: Progress['outcome'], error?: Error): void {
    settled.add(step.id);
    onProgress?.({
      step,
      outcome,
      ended: settled.size,
      total: steps.length,
      ...(error === undefined ? {} : { error }),
    });
  }

  function skip(step: Step, because: string): void {
    if (settled.has(step.id)) return;
    result.notRun.push({ step, because });
    settle(step, 'not-run');
    for (const dependant of dependants.get(step.id) ?? []) skip(dependant, because);
  }

  function finish(): void {
    inFlight -= 1;
    for (const resume of wake) resume();
    wake = [];
  }

  return {
    result,
    /** The next step to run; undefined once nothing is left to wait for. */
    async next(): Promise<Step | undefined> {
      for (;;) {
        if (signal?.aborted === true)
          for (const step of steps) if (isWaiting(step)) skip(step, 'the run was interrupted');
        const step = ready.shift();
        if (step !== undefined && !settled.has(step.id)) {
          inFlight += 1;
          waitingFor.delete(step.id);
          return step;
        }
        if (step !== undefined) continue;
        if (inFlight === 0) return undefined;
        await new Promise<void>((resume) => wake.push(resume));
      }
    },
    succeed(step: Step): void {
      result.done.push(step);
      settle(step, 'done');
      for (const dependant of dependants.get(step.id) ?? []) {
        const waits = waitingFor.get(dependant.id);
        waits?.delete(step.id);
        if (waits?.size === 0) ready.push(dependant);
      }
      finish();
    },
    fail(step: Step, error: Error): void {
      result.failed.push({ step, error, ambiguous: error instanceof CallError && error.outcome === 'unknown' });
      settle(step, 'failed', error);
      for (const dependant of dependants.get(step.id) ?? []) skip(dependant, `"${step.summary}" failed`);
      finish();
    },
  };

  function isWaiting(step: Step): boolean {
    return waitingFor.has(step.id) && !settled.has(step.id);
  }
}

/** Makes the call of one step. What is to be deleted and is gone already is as it should be. */
async function perform(
  step: Step,
  ids: ReadonlyMap<string, string>,
  client: Caller,
  resolveSecret: Surroundings['resolveSecret'],
): Promise<unknown> {
  const params = await fillAll(step.params, ids, resolveSecret);
  const body = step.body && (await fillAll(step.body, ids, resolveSecret));
  // A step is data, whose operation is only known as it runs; the service validates every field of it.
  const request = { params, body } as unknown as RequestOf<OperationId>;
  try {
    return await client.call(step.operation, request);
  } catch (error) {
    if (isDeletion(step) && error instanceof ProblemError && error.status === 404) return {};
    throw error;
  }
}

function isDeletion({ operation }: Step): boolean {
  return operation.startsWith('delete') || operation.startsWith('remove');
}

type Filled = string | number | boolean | null;

async function fillAll(
  values: Record<string, StepValue>,
  ids: ReadonlyMap<string, string>,
  resolveSecret: Surroundings['resolveSecret'],
): Promise<Record<string, Filled>> {
  const filled: Record<string, Filled> = {};
  for (const [name, value] of Object.entries(values)) filled[name] = await fill(value, ids, resolveSecret);
  return filled;
}

async function fill(
  value: StepValue,
  ids: ReadonlyMap<string, string>,
  resolveSecret: Surroundings['resolveSecret'],
): Promise<Filled> {
  if (isReference(value)) {
    const id = ids.get(value.ref);
    if (id === undefined) throw new Error(`no step of this run made ${value.ref}`);
    return id;
  }
  if (!isSecretUri(value)) return value;
  if (value.password === null) return value.uri;
  return formatConnectionUri({ ...parseConnectionUri(value.uri), password: await resolveSecret(value.password) });
}

function idIn(answer: unknown, step: Step): string {
  if (typeof answer === 'object' && answer !== null && 'id' in answer && typeof answer.id === 'string')
    return answer.id;
  throw new Error(`the answer to "${step.summary}" has no id`);
}
