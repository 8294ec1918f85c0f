import { CallError, NetworkError, ProblemError, TimeoutError } from '@rolecall/api';
import type { Step } from '../model/step.ts';

export interface ScheduleOptions {
  /** Told of each step as it ends. */
  onProgress?: (progress: Progress) => void;
  /** Once aborted, no further step is begun; those in flight are finished. */
  signal?: AbortSignal;
  /** How many calls run side by side at most. */
  concurrency?: number;
}

export const defaultConcurrency = 8;

export interface Progress {
  step: Step;
  outcome: 'done' | 'failed' | 'not-run';
  error?: Error;
  /** What the service answered, where it was done. */
  answer?: unknown;
  /** The ids of what the run has made so far, by the names that steps refer to; where the step was done. */
  ids?: ReadonlyMap<string, string>;
  /** How many steps were done or failed, this one included, of how many; those that do not run are not counted. */
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
  /** Not begun, because a step it waits for failed, or the run was stopped: interrupted, or of no use any more. */
  notRun: { step: Step; because: string }[];
}

/** Hands out the steps of one run as they become ready, and keeps the books. */
export interface Schedule {
  readonly result: Converged;
  /** The next step to run, as soon as there is one; undefined once nothing is left to wait for. */
  next: () => Promise<Step | undefined>;
  succeed: (step: Step, answer: unknown, ids: ReadonlyMap<string, string>) => void;
  fail: (step: Step, error: Error) => void;
}

export function createSchedule(steps: readonly Step[], options: ScheduleOptions): Schedule {
  const { onProgress, signal, concurrency = defaultConcurrency } = options;
  const result: Converged = { done: [], failed: [], notRun: [] };
  const dependants = indexDependants(steps);
  /** What each step that was not begun still waits for. */
  const waiting = new Map(steps.map((step) => [step.id, new Set(step.after)]));
  const ready = steps.filter((step) => step.after.length === 0);
  let nextReady = 0;
  let ended = 0;
  let inFlight = 0;
  let unreachedInARow = 0;
  let stopped: string | undefined;
  const sleepers: (() => void)[] = [];

  function settle(
    step: Step,
    outcome: Progress['outcome'],
    more: Pick<Progress, 'error' | 'answer' | 'ids'> = {},
  ): void {
    if (outcome !== 'not-run') ended += 1;
    onProgress?.({ step, outcome, ended, total: steps.length, ...more });
  }

  function skip(step: Step, because: string): void {
    if (!waiting.delete(step.id)) return;
    result.notRun.push({ step, because });
    settle(step, 'not-run');
    for (const dependant of dependants.get(step.id) ?? []) skip(dependant, because);
  }

  function stop(because: string): void {
    if (stopped !== undefined) return;
    stopped = because;
    for (const step of steps) skip(step, because);
  }

  function finish(): void {
    inFlight -= 1;
    for (const resume of sleepers.splice(0)) resume();
  }

  return {
    result,
    async next() {
      for (;;) {
        if (signal?.aborted === true) stop('the run was interrupted');
        const step = ready[nextReady];
        if (step !== undefined) {
          nextReady += 1;
          if (!waiting.delete(step.id)) continue;
          inFlight += 1;
          return step;
        }
        if (inFlight === 0) return undefined;
        await new Promise<void>((resume) => sleepers.push(resume));
      }
    },
    succeed(step, answer, ids) {
      unreachedInARow = 0;
      result.done.push(step);
      settle(step, 'done', { answer, ids });
      for (const dependant of dependants.get(step.id) ?? []) {
        const rest = waiting.get(dependant.id);
        if (rest?.delete(step.id) === true && rest.size === 0) ready.push(dependant);
      }
      finish();
    },
    fail(step, error) {
      result.failed.push({ step, error, ambiguous: error instanceof CallError && error.outcome === 'unknown' });
      settle(step, 'failed', { error });
      for (const dependant of dependants.get(step.id) ?? []) skip(dependant, `"${step.summary}" failed`);
      if (isHopeless(error)) stop('the service refused the API key');
      unreachedInARow = isUnreachable(error) ? unreachedInARow + 1 : 0;
      if (unreachedInARow === concurrency) stop('the workspace cannot be reached');
      finish();
    },
  };
}

/** No other call would fare better with this key: one clear failure is worth more than a thousand of the same. */
function isHopeless(error: Error): boolean {
  return error instanceof ProblemError && (error.kind === 'unauthenticated' || error.kind === 'scope');
}

/**
 * No connection came about, however often it was tried. A call that was cut once and may not be repeated is none of
 * these: a service that starts anew cuts all that are in flight, and is there again for the next.
 */
function isUnreachable(error: Error): boolean {
  if (error instanceof TimeoutError) return error.phase === 'connect';
  return error instanceof NetworkError && (error.outcome === 'not-sent' || error.attempts > 1);
}

function indexDependants(steps: readonly Step[]): Map<string, Step[]> {
  const dependants = new Map<string, Step[]>();
  for (const step of steps) {
    for (const id of step.after) {
      const list = dependants.get(id);
      if (list === undefined) dependants.set(id, [step]);
      else list.push(step);
    }
  }
  return dependants;
}
