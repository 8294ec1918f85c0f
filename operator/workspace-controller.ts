/** Watches over one workspace: gathers changes for a moment, reconciles the whole workspace, and waits longer after each failure. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type CustomObject, isDeleting, isRequested, labelOf } from './resources/custom-object.ts';
import type { DeclaredObject } from './resources/parse.ts';
import { backoff } from './runtime/backoff.ts';
import { sleep } from './runtime/clock.ts';
import { named } from './runtime/queue-observer.ts';
import { createWorkQueue, type WorkQueue } from './runtime/work-queue.ts';
import { isReady } from './status/conditions.ts';
import { isApiserverError, isKeyRefused, keyRefused, messageOf, waiting } from './status/outcomes.ts';
import { StatusManager } from './status/status-manager.ts';
import type { DeclaredObjects, OperatorContext, WorkspaceObject } from './workspace/context.ts';
import { Reconciler } from './workspace/reconcile.ts';

/** What all controllers of a namespace work with. */
export interface NamespaceOptions {
  readonly operator: OperatorContext;
  readonly random: () => number;
  /** Called for each error, with the time after which it is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** The object as it is known now, by its label. */
  readonly current: (label: string) => CustomObject | undefined;
}

export interface WorkspaceControllerOptions extends NamespaceOptions {
  /** Whether there are objects without a Workspace that may belong to this one. */
  readonly hasUnassigned: () => boolean;
}

/** How long changes are gathered, so that a plan of the whole workspace serves all that come together. */
const gatherMs = 100;
/** How long until objects that wait for others are reconciled again, once something was done in the workspace. */
const recheckMs = 1_000;

const retries = { baseMs: 500, maxMs: 10_000 };

export class WorkspaceController {
  readonly #options: WorkspaceControllerOptions;
  readonly #objects: DeclaredObjects = new Map();
  readonly #queue: WorkQueue;
  readonly #status: StatusManager;
  readonly #reconciler: Reconciler;
  readonly #label: string;
  readonly #over = new AbortController();
  readonly #isOver: AbortSignal;
  readonly #ended: Promise<void>;
  #workspace: WorkspaceObject;
  #invalid: ReadonlySet<string> = new Set();
  #recheck: Disposable | undefined;
  #failures = 0;
  /** Whether the log has said that the service refuses the key. */
  #isKeyRefused = false;
  #retryNow = new AbortController();

  constructor(workspace: WorkspaceObject, options: WorkspaceControllerOptions) {
    const { operator, random, onFailure, current } = options;
    const { clock, writer, signal, metrics } = operator;
    this.#options = options;
    this.#workspace = workspace;
    this.#label = labelOf(workspace.object);
    this.#isOver = AbortSignal.any([signal, this.#over.signal]);
    const observer = metrics && named(`${workspace.object.metadata.namespace}/${this.#label} `, metrics.queue);
    this.#queue = createWorkQueue({ clock, random, observer, ...retries });
    this.#status = new StatusManager({
      ...{ clock, writer, signal, current, onFailure, objects: this.#objects, queue: this.#queue },
      workspace: () => this.#workspace.definition,
      onRecovered: () => {
        this.#recheckLater();
      },
    });
    this.#reconciler = new Reconciler({
      ...{ operator, objects: this.#objects, queue: this.#queue, status: this.#status },
      workspace: () => this.#workspace,
      invalid: () => this.#invalid,
      hasUnassigned: options.hasUnassigned,
      onRun: () => {
        this.#recheckLater();
      },
    });
    signal.addEventListener('abort', this.#queue.close, { once: true });
    if (signal.aborted) this.#queue.close();
    this.#ended = this.#work();
    this.#queue.add(this.#label);
  }

  get workspace(): WorkspaceObject {
    return this.#workspace;
  }

  /** Resolves once nothing is in flight any more. */
  get ended(): Promise<void> {
    return this.#ended;
  }

  /** Takes the Workspace as it is now. */
  update(next: WorkspaceObject): void {
    const before = this.#workspace;
    this.#workspace = next;
    if (isRequested(next.object)) this.#reconciler.view.expire();
    const isSame = next.definition === before.definition && isDeleting(next.object) === isDeleting(before.object);
    if (!isSame) this.#reconcileAll();
  }

  /** Takes an object as it is now. @param isChanged whether more than its status or finalizers differs */
  put(declared: DeclaredObject, isChanged: boolean): void {
    const { object } = declared;
    const label = labelOf(object);
    const isKnown = this.#objects.has(label);
    this.#objects.set(label, declared);
    if (isKnown && !isChanged) {
      // A Workspace that is being deleted reports which objects it waits for.
      if (isDeleting(this.#workspace.object) && isDeleting(object)) this.#queue.add(this.#label);
      return;
    }
    if (isRequested(object)) this.#reconciler.view.expire();
    this.#status.reset(label);
    this.#reconciler.refused.forget(label);
    this.#requirePlan(label);
  }

  remove(label: string): void {
    this.#objects.delete(label);
    this.#status.forget(label);
    this.#reconciler.refused.remove(label);
    this.#reconciler.sourceChanged.delete(label);
    this.#requirePlan(this.#label);
  }

  /** A Secret or ConfigMap changed: what takes something from it is reconciled. */
  sourceChanged(kind: 'secrets' | 'configmaps', name: string): void {
    for (const [label, { definition }] of this.#objects) {
      const source =
        kind === 'secrets'
          ? definition.kind === 'DataSource' && definition.spec.passwordFrom?.secretKeyRef?.name
          : definition.kind === 'Snippet' && definition.spec.textFrom?.configMapKeyRef?.name;
      if (source !== name) continue;
      this.#status.unsettled.add(label);
      this.#reconciler.refused.forget(label);
      this.#reconciler.sourceChanged.add(label);
      this.#requirePlan(label);
    }
    const { credentialsFrom } = this.#workspace.definition.spec;
    if (kind === 'secrets' && credentialsFrom?.secretKeyRef?.name === name) this.#reconcileAll();
  }

  /** Reads the workspace again, and compares everything with it if it changed. */
  checkDrift(): void {
    this.#reconciler.view.checkDrift();
    this.#queue.add(this.#label);
    for (const [label, { object }] of this.#objects) {
      // A status may have been changed by hand too.
      if (isReady(object) && !this.#status.unsettled.has(label)) continue;
      this.#requirePlan(label);
    }
    this.#retry();
  }

  /** Takes the labels of objects in the namespace that are not valid and may belong to this workspace. */
  setInvalid(labels: ReadonlySet<string>): void {
    this.#invalid = labels;
    if ((this.#workspace.definition.spec.exact ?? []).length > 0) this.#requirePlan(this.#label);
  }

  /** Ends this controller: what is in flight is finished. */
  end(): void {
    this.#over.abort();
    this.#queue.close();
  }

  async #work(): Promise<void> {
    const queue = this.#queue;
    for (let key = await queue.next(); key !== undefined; key = await queue.next()) {
      await sleep(this.#options.operator.clock, gatherMs, this.#isOver);
      const taken = new Set([key, ...queue.takeAll()]);
      await this.#status.hasRoom();
      const error = await this.#reconcile(taken);
      for (const label of taken) queue.done(label);
      // A reconcile that waits for nothing must not keep everything else of the process from running.
      await nextTurn();
      if (error !== undefined) await this.#backOff(error);
    }
    await this.#status.drain();
    this.#status[Symbol.dispose]();
    this.#recheck?.[Symbol.dispose]();
  }

  /** @returns the error after which to back off, if there was one */
  async #reconcile(taken: ReadonlySet<string>): Promise<Error | undefined> {
    const run = (): Promise<void> => this.#reconciler.reconcile(taken);
    try {
      await (this.#options.operator.metrics?.timed(run) ?? run)(this.#label);
      this.#failures = 0;
      this.#isKeyRefused = false;
      return undefined;
    } catch (thrown) {
      return this.#fail(taken, thrown instanceof Error ? thrown : new Error(String(thrown)));
    }
  }

  /** After an error, what was taken is reconciled again: after a back-off, or once the key or the workspace may have changed. */
  async #fail(taken: ReadonlySet<string>, error: Error): Promise<Error | undefined> {
    if (this.#isOver.aborted) return undefined;
    const { name } = this.#workspace.object.metadata;
    const known = [...taken].filter((label) => this.#objects.has(label));
    this.#reconciler.requirePlan();
    if (!isApiserverError(error)) {
      this.#reconciler.view.expire();
      this.#status.reportNotReady(known, `The Workspace ${name} cannot be used: ${messageOf(error)}`);
    }
    for (const label of known) this.#status.unsettled.add(label);
    if (isKeyRefused(error)) {
      await this.#waitForKey(error);
      return undefined;
    }
    this.#failures += 1;
    this.#isKeyRefused = false;
    for (const label of taken) this.#queue.add(label);
    if (!isApiserverError(error)) {
      const outcome = waiting('Unreachable', messageOf(error));
      await this.#reconciler.writeOutcome(outcome, this.#workspace.object).catch(() => undefined);
    }
    return error;
  }

  /** Another try is of use once the Secret changes, or with the next drift check. */
  async #waitForKey(error: Error): Promise<void> {
    const { operator, onFailure } = this.#options;
    const { object, definition } = this.#workspace;
    const { namespace, name } = object.metadata;
    const outcome = keyRefused(error, definition);
    // The log says it once, though each drift check finds it again, maybe for days.
    if (!this.#isKeyRefused)
      operator.log('warn', `${namespace}: ${this.#label}: ${outcome.message}`, { namespace, kind: object.kind, name });
    this.#isKeyRefused = true;
    await this.#reconciler.writeOutcome(outcome, object).catch((failed: unknown) => {
      onFailure(failed instanceof Error ? failed : error, retries.maxMs);
      this.#queue.addAfter(this.#label, retries.maxMs);
    });
  }

  /** Waits after a failure, unless a drift check or a change of the Workspace comes before. */
  async #backOff(error: Error): Promise<void> {
    const { operator, random, onFailure } = this.#options;
    const wait = backoff(this.#failures, { ...retries, random });
    onFailure(error, wait);
    await sleep(operator.clock, wait, AbortSignal.any([this.#isOver, this.#retryNow.signal]));
  }

  #reconcileAll(): void {
    this.#requirePlan(this.#label);
    for (const label of this.#objects.keys()) this.#queue.add(label);
    this.#retry();
  }

  #requirePlan(label: string): void {
    this.#reconciler.requirePlan();
    this.#queue.add(label);
  }

  #retry(): void {
    this.#retryNow.abort();
    this.#retryNow = new AbortController();
  }

  /** Has objects that wait for others reconciled again, since something was done. */
  #recheckLater(): void {
    if (this.#recheck !== undefined || this.#isOver.aborted) return;
    this.#recheck = this.#options.operator.clock.after(recheckMs, () => {
      this.#recheck = undefined;
      if (this.#status.hasWaiting) this.#queue.add(this.#label);
    });
  }
}
