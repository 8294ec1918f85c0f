/** Takes what the work queue of a workspace holds: gathers changes for a moment, reconciles, and waits longer after each failure. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { labelOf } from '../resources/custom-object.ts';
import { backoff } from '../runtime/backoff.ts';
import { sleep } from '../runtime/clock.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { isKeyRefused } from '../status/outcomes.ts';
import type { StatusManager } from '../status/status-manager.ts';
import type { OperatorContext, WorkspaceObject } from './context.ts';
import type { Reconciler, Result } from './reconciler.ts';

export interface WorkLoopOptions {
  readonly operator: Pick<OperatorContext, 'clock' | 'listed' | 'metrics'>;
  readonly queue: WorkQueue;
  readonly status: Pick<StatusManager, 'drain' | 'hasRoom'>;
  readonly reconciler: Reconciler;
  /** The Workspace as it is now. */
  readonly workspace: () => WorkspaceObject;
  readonly random: () => number;
  /** Called for each error, with the time after which it is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** Aborted when the operator or this workspace ends. */
  readonly isOver: AbortSignal;
}

export const retries = { baseMs: 500, maxMs: 10_000 };

/** The time after which objects that wait for others are reconciled again, once something was done in the workspace. */
export const recheckMs = 1_000;

/**
 * Times for which changes are gathered, so that one plan of the whole workspace serves all that come together. Planning holds up all other
 * workspaces: it never takes more than a third of the time, however large the workspace is.
 */
const gather = { firstMs: 10, leastMs: 100, mostMs: 300, toPlanning: 5, longMs: 200, toLongPlanning: 3 };

/** So many changes fill a plan, and wait for no others. */
const enough = 128;

export class WorkLoop {
  readonly #options: WorkLoopOptions;
  /** The start of the last reconcile, by `clock.elapsed`. */
  #begunMs = -Infinity;
  #failures = 0;
  /** True if something changed since the last plan. */
  #isPlanDue = true;
  /** Objects whose steps the last reconcile left to the next. */
  #later: ReadonlySet<string> = new Set();
  #retryNow = new AbortController();

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  /** Runs until the queue is closed and nothing is in flight any more. */
  async run(): Promise<void> {
    const { queue, status, operator, isOver } = this.#options;
    await operator.listed;
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      await sleep(operator.clock, this.#gatherMs(), isOver);
      this.#begunMs = operator.clock.elapsed();
      const taken = new Set([key, ...queue.takeAll()]);
      await status.hasRoom();
      if (isOver.aborted) break;
      const error = await this.#reconcile(taken);
      for (const label of taken) queue.done(label);
      // A reconcile that waits for nothing must not keep everything else of the process from running.
      await nextTurn();
      if (error !== undefined) await this.#backOff(error);
    }
    await status.drain();
  }

  /** Has the workspace planned, since something changed. @param label of what did */
  requirePlan(label: string): void {
    this.#isPlanDue = true;
    this.#options.queue.add(label);
  }

  /** Ends the wait after a failure. */
  retry(): void {
    this.#retryNow.abort();
    this.#retryNow = new AbortController();
  }

  /** Planning takes at most a fifth of the time, unless that would make changes wait for long. Planning that takes long gets a third. */
  #gatherMs(): number {
    const { operator, queue, reconciler } = this.#options;
    const { planningMs } = reconciler;
    const sinceMs = operator.clock.elapsed() - this.#begunMs;
    if (planningMs > gather.longMs) return Math.max(gather.leastMs, gather.toLongPlanning * planningMs - sinceMs);
    // Before the first plan, the watches bring what came while everything was listed.
    if (planningMs === 0 && this.#begunMs === -Infinity) return gather.firstMs;
    if (planningMs > 0 && queue.length() >= enough) return 0;
    return Math.max(gather.leastMs, Math.min(gather.toPlanning * planningMs, gather.mostMs) - sinceMs);
  }

  /** @returns the error after which to back off, if there was one */
  async #reconcile(taken: ReadonlySet<string>): Promise<Error | undefined> {
    const { operator, reconciler, workspace, isOver, queue } = this.#options;
    const request = { taken, later: this.#later, isPlanDue: this.#isPlanDue };
    // A change that comes from here on asks for the next plan.
    this.#isPlanDue = false;
    const run = async (): Promise<void> => {
      this.#comeAgain(await reconciler.reconcile(request));
    };
    try {
      await (operator.metrics?.timed(run) ?? run)(labelOf(workspace().object));
      this.#failures = 0;
      return undefined;
    } catch (thrown) {
      this.#isPlanDue = true;
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      // Another try is of use once the Secret changes, or with the next drift check.
      if (isOver.aborted || isKeyRefused(error)) return undefined;
      this.#failures += 1;
      for (const label of taken) queue.add(label);
      return error;
    }
  }

  #comeAgain(result: Result): void {
    const { queue, workspace } = this.#options;
    const label = labelOf(workspace().object);
    if (result.because === 'not reached') {
      this.#isPlanDue = true;
      return;
    }
    this.#later = result.again === 'at once' ? result.later : new Set();
    if (result.again === 'at once') this.requirePlan(label);
    else if (result.again === 'in a moment') queue.addAfter(label, recheckMs);
  }

  /** Waits after a failure, unless a drift check or a change of the Workspace comes before. */
  async #backOff(error: Error): Promise<void> {
    const { operator, random, onFailure, isOver } = this.#options;
    const wait = backoff(this.#failures, { ...retries, random });
    onFailure(error, wait);
    await sleep(operator.clock, wait, AbortSignal.any([isOver, this.#retryNow.signal]));
  }
}
