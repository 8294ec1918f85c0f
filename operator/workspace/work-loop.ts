/** Takes what the work queue of a workspace holds: gathers changes for a moment, reconciles, and waits longer after each failure. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { labelOf } from '../resources/custom-object.ts';
import { backoff } from '../runtime/backoff.ts';
import { sleep } from '../runtime/clock.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { isApiserverError, isKeyRefused, keyRefused, messageOf, waiting } from '../status/outcomes.ts';
import type { StatusManager } from '../status/status-manager.ts';
import type { DeclaredObjects, OperatorContext, WorkspaceObject } from './context.ts';
import type { Reconciler } from './reconcile.ts';
import type { ViewCache } from './view-cache.ts';

export interface WorkLoopOptions {
  readonly operator: Pick<OperatorContext, 'clock' | 'listed' | 'log' | 'metrics'>;
  readonly objects: DeclaredObjects;
  readonly queue: WorkQueue;
  readonly status: Pick<StatusManager, 'drain' | 'hasRoom' | 'reportNotReady' | 'unsettled'>;
  readonly reconciler: Pick<Reconciler, 'planningMs' | 'prefetch' | 'reconcile' | 'requirePlan' | 'writeOutcome'> & {
    readonly view: Pick<ViewCache, 'expire'>;
  };
  /** The Workspace as it is now. */
  readonly workspace: () => WorkspaceObject;
  readonly random: () => number;
  /** Called for each error, with the time after which it is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** Aborted when the operator or this workspace ends. */
  readonly isOver: AbortSignal;
}

export const retries = { baseMs: 500, maxMs: 10_000 };

/**
 * How long changes are gathered, so that a plan of the whole workspace serves all that come together. Planning holds up all other workspaces:
 * it never takes more than a third of the time, however large the workspace is.
 */
const gather = { firstMs: 10, leastMs: 100, mostMs: 300, toPlanning: 5, longMs: 200, toLongPlanning: 3 };

/** So many changes fill a plan, and wait for no others. */
const enough = 128;

export class WorkLoop {
  readonly #options: WorkLoopOptions;
  /** When the last reconcile began, by `clock.elapsed`. */
  #begunMs = -Infinity;
  #failures = 0;
  /** Whether the log has said that the service refuses the key. */
  #isKeyRefused = false;
  #retryNow = new AbortController();

  constructor(options: WorkLoopOptions) {
    this.#options = options;
  }

  /** Runs until the queue is closed and nothing is in flight any more. */
  async run(): Promise<void> {
    const { queue, status, operator, reconciler, isOver } = this.#options;
    void reconciler.prefetch();
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
    const { operator, reconciler, workspace } = this.#options;
    const run = (): Promise<void> => reconciler.reconcile(taken);
    try {
      await (operator.metrics?.timed(run) ?? run)(labelOf(workspace().object));
      this.#failures = 0;
      this.#isKeyRefused = false;
      return undefined;
    } catch (thrown) {
      return this.#fail(taken, thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  /** After an error, what was taken is reconciled again: after a back-off, or once the key or the workspace may have changed. */
  async #fail(taken: ReadonlySet<string>, error: Error): Promise<Error | undefined> {
    const { objects, queue, status, reconciler, workspace, isOver } = this.#options;
    if (isOver.aborted) return undefined;
    const { object } = workspace();
    const known = [...taken].filter((label) => objects.has(label));
    reconciler.requirePlan();
    if (!isApiserverError(error)) {
      reconciler.view.expire();
      status.reportNotReady(known, `The Workspace ${object.metadata.name} cannot be used: ${messageOf(error)}`);
    }
    for (const label of known) status.unsettled.add(label);
    if (isKeyRefused(error)) {
      await this.#waitForKey(error);
      return undefined;
    }
    this.#failures += 1;
    this.#isKeyRefused = false;
    for (const label of taken) queue.add(label);
    if (!isApiserverError(error)) {
      await reconciler.writeOutcome(waiting('Unreachable', messageOf(error)), object).catch(() => undefined);
    }
    return error;
  }

  /** Another try is of use once the Secret changes, or with the next drift check. */
  async #waitForKey(error: Error): Promise<void> {
    const { operator, queue, reconciler, workspace, onFailure } = this.#options;
    const { object, definition } = workspace();
    const { namespace, name } = object.metadata;
    const outcome = keyRefused(error, definition);
    // The log says it once, though each drift check finds it again, maybe for days.
    if (!this.#isKeyRefused)
      operator.log('warn', `${namespace}: ${labelOf(object)}: ${outcome.message}`, {
        ...{ namespace, kind: object.kind, name },
      });
    this.#isKeyRefused = true;
    await reconciler.writeOutcome(outcome, object).catch((failed: unknown) => {
      onFailure(failed instanceof Error ? failed : error, retries.maxMs);
      queue.addAfter(labelOf(object), retries.maxMs);
    });
  }

  /** Waits after a failure, unless a drift check or a change of the Workspace comes before. */
  async #backOff(error: Error): Promise<void> {
    const { operator, random, onFailure, isOver } = this.#options;
    const wait = backoff(this.#failures, { ...retries, random });
    onFailure(error, wait);
    await sleep(operator.clock, wait, AbortSignal.any([isOver, this.#retryNow.signal]));
  }
}
