import { CallError, NetworkError, ProblemError, TimeoutError } from '@rolecall/api';
import type { Plan } from '../model/plan.ts';
import type { Step } from '../model/step.ts';

export interface ScheduleOptions {
  /** Told of each step as it ends. */
  onProgress?: (progress: Progress) => void;
  /** Once aborted, no further step is begun; those in flight are finished. */
  signal?: AbortSignal;
  /** The most calls that run side by side. */
  concurrency?: number;
}

export const defaultConcurrency = 8;

export interface Progress {
  step: Step;
  outcome: 'done' | 'failed' | 'not-run';
  error?: Error;
  /** The service's answer, if the step was done. */
  answer?: unknown;
  /** The ids of what the run has made so far, by the names that steps refer to; where the step was done. */
  ids?: ReadonlyMap<string, string>;
  /** The number of steps done or failed so far, this one included, and the total; steps that do not run are not counted. */
  ended: number;
  total: number;
}

export interface Failure {
  step: Step;
  error: Error;
  /** True if the call may have been done all the same: the next run will see. */
  ambiguous: boolean;
}

/** The outcome of each step of the plan. */
export interface Converged {
  done: Step[];
  failed: Failure[];
  /** Not begun, because a step it waits for failed, or the run was stopped: interrupted, or of no use any more. */
  notRun: { step: Step; because: string }[];
}

/** Hands out the steps of one run as they become ready, and records what became of each. */
export class Schedule {
  readonly result: Converged = { done: [], failed: [], notRun: [] };
  readonly #steps: readonly Step[];
  readonly #options: ScheduleOptions;
  /** The ids of steps and gates that wait for a step or gate. */
  readonly #dependants: Map<string, string[]>;
  readonly #byId: Map<string, Step>;
  /** The number of steps and gates that each gate, and each step not yet begun, still waits for. */
  readonly #waiting: Map<string, number>;
  readonly #ready: Step[];
  readonly #sleepers: (() => void)[] = [];
  #nextReady = 0;
  #ended = 0;
  #inFlight = 0;
  #unreachedInARow = 0;
  #stopped: string | undefined;

  constructor({ steps, gates = {} }: Pick<Plan, 'steps' | 'gates'>, options: ScheduleOptions) {
    this.#steps = steps;
    this.#options = options;
    this.#byId = new Map(steps.map((step) => [step.id, step]));
    const after = new Map([...steps.map((step) => [step.id, step.after] as const), ...Object.entries(gates)]);
    this.#dependants = indexDependants(after);
    this.#waiting = new Map([...after].map(([id, prerequisites]) => [id, new Set(prerequisites).size]));
    this.#ready = steps.filter((step) => step.after.length === 0);
  }

  /** The next step to run, as soon as there is one; undefined once nothing is left to wait for. */
  async next(): Promise<Step | undefined> {
    for (;;) {
      if (this.#options.signal?.aborted === true) this.#stop('the run was interrupted');
      const step = this.#ready[this.#nextReady];
      if (step !== undefined) {
        this.#nextReady += 1;
        if (!this.#waiting.delete(step.id)) continue;
        this.#inFlight += 1;
        return step;
      }
      if (this.#inFlight === 0) {
        // Nothing else would ever say that these did not run.
        if (this.#waiting.size > 0) this.#stop('it waits for a step that is not in this run');
        return undefined;
      }
      await new Promise<void>((resume) => this.#sleepers.push(resume));
    }
  }

  succeed(step: Step, answer: unknown, ids: ReadonlyMap<string, string>): void {
    this.#unreachedInARow = 0;
    this.result.done.push(step);
    this.#report(step, 'done', { answer, ids });
    this.#release(step.id);
    this.#finish();
  }

  fail(step: Step, error: Error): void {
    const { concurrency = defaultConcurrency } = this.#options;
    this.result.failed.push({ step, error, ambiguous: error instanceof CallError && error.outcome === 'unknown' });
    this.#report(step, 'failed', { error });
    this.#skipDependants(step.id, `"${step.summary}" failed`);
    if (isHopeless(error)) this.#stop('the service refused the API key');
    this.#unreachedInARow = isUnreachable(error) ? this.#unreachedInARow + 1 : 0;
    if (this.#unreachedInARow === concurrency) this.#stop('the workspace cannot be reached');
    this.#finish();
  }

  #report(step: Step, outcome: Progress['outcome'], more: Pick<Progress, 'error' | 'answer' | 'ids'> = {}): void {
    if (outcome !== 'not-run') this.#ended += 1;
    this.#options.onProgress?.({ step, outcome, ended: this.#ended, total: this.#steps.length, ...more });
  }

  /** Lets go on what waited for this step or gate alone. */
  #release(id: string): void {
    for (const dependant of this.#dependants.get(id) ?? []) {
      const rest = this.#waiting.get(dependant);
      if (rest === undefined) continue;
      this.#waiting.set(dependant, rest - 1);
      if (rest > 1) continue;
      const step = this.#byId.get(dependant);
      if (step === undefined) this.#release(dependant);
      else this.#ready.push(step);
    }
  }

  #skipDependants(id: string, because: string): void {
    const skipped = [...(this.#dependants.get(id) ?? [])];
    for (let next = skipped.pop(); next !== undefined; next = skipped.pop()) {
      if (!this.#waiting.delete(next)) continue;
      const step = this.#byId.get(next);
      if (step !== undefined) {
        this.result.notRun.push({ step, because });
        this.#report(step, 'not-run');
      }
      for (const dependant of this.#dependants.get(next) ?? []) skipped.push(dependant);
    }
  }

  #stop(because: string): void {
    if (this.#stopped !== undefined) return;
    this.#stopped = because;
    for (const step of this.#steps) {
      if (!this.#waiting.delete(step.id)) continue;
      this.result.notRun.push({ step, because });
      this.#report(step, 'not-run');
    }
  }

  #finish(): void {
    this.#inFlight -= 1;
    for (const resume of this.#sleepers.splice(0)) resume();
  }
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

function indexDependants(after: ReadonlyMap<string, readonly string[]>): Map<string, string[]> {
  const dependants = new Map<string, string[]>();
  for (const [waiting, prerequisites] of after) {
    for (const id of new Set(prerequisites)) {
      const list = dependants.get(id);
      if (list === undefined) dependants.set(id, [waiting]);
      else list.push(waiting);
    }
  }
  return dependants;
}
