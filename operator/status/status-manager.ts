/** Takes the outcome of each object: writes its status, has it reconciled again after an error, and keeps the states of permissions. */

import { type DefinitionOf, isAnnotated, type ObjectDefinition } from '@rolecall/crds';
import { collectionOf } from '@rolecall/reconcile';
import {
  asSeen,
  type CustomObject,
  hasFinalizer,
  isDeleting,
  isObserved,
  labelOf,
} from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import type { Clock } from '../runtime/clock.ts';
import { isStatus, StatusError } from '../runtime/errors.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { type Outcome, statusOf } from './conditions.ts';
import { invalid, isApiserverError, isPermanent, isUnassigned, waiting, withReleaseHint } from './outcomes.ts';
import { isTimed, nextBoundary, stateAt, type TimeWindow } from './permission-window.ts';
import type { StatusWriter } from './status-writer.ts';
import { Timers } from './timers.ts';
import { UnrecordedIds } from './unrecorded-ids.ts';

export interface StatusManagerOptions {
  readonly clock: Clock;
  readonly writer: Pick<StatusWriter, 'addFinalizer' | 'removeFinalizer' | 'writeStatus'>;
  readonly signal: AbortSignal;
  readonly objects: ReadonlyMap<string, DeclaredObject>;
  readonly queue: WorkQueue;
  /** The object as it is known now, by its label. */
  readonly current: (label: string) => CustomObject | undefined;
  /** The Workspace as it is declared now. */
  readonly workspace: () => DefinitionOf<'Workspace'>;
  /** Called for each error, with the time after which it is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** Called when an object that had failed does so no more: others may have waited for it. */
  readonly onRecovered: () => void;
  /** Called when `writesForbidden` changed. */
  readonly onForbidden: () => void;
  /** Called once the deletion of an object that is gone already is finished. @param why what it declared stays, if it does */
  readonly onReleased: (label: string, why?: string) => void;
}

/** The most statuses that may wait to be written before the next reconcile begins. */
const maxWaitingWrites = 256;

export class StatusManager implements Disposable {
  readonly ids = new UnrecordedIds();
  readonly #options: StatusManagerOptions;
  readonly #unsettled = new Set<string>();
  readonly #failing = new Set<string>();
  /** Objects that the API server does not let this process write, and its answer to each. */
  readonly #unwritable = new Map<string, string>();
  /** The last write of each object that is being written. Writes of one object go one after another. */
  readonly #inFlight = new Map<string, Promise<void>>();
  /** Objects that a reconcile left out because they were being written. */
  readonly #waitingForWrite = new Set<string>();
  readonly #timers: Timers;
  /** A reconcile waits for this until fewer statuses are being written. */
  #room: PromiseWithResolvers<undefined> | undefined;

  constructor(options: StatusManagerOptions) {
    this.#options = options;
    this.#timers = new Timers(options.clock, (label) => {
      this.#onBoundary(label);
    });
  }

  /** Objects that are not known to be as they are declared. */
  get unsettled(): ReadonlySet<string> {
    return this.#unsettled;
  }

  /** Takes objects of which it is not known any more whether they are as declared; others are passed over. */
  unsettle(labels: Iterable<string>): void {
    for (const label of labels) if (this.#options.objects.has(label)) this.#unsettled.add(label);
  }

  /** The object changed, so that its failures count no more. */
  reset(label: string): void {
    this.#unsettled.add(label);
    this.#failing.delete(label);
    this.#options.queue.forget(label);
  }

  /** The object is gone, or is about to be. */
  forget(label: string): void {
    this.#unsettled.delete(label);
    this.#failing.delete(label);
    this.#noteForbidden(label, undefined);
    this.#timers.set(label, undefined);
    this.ids.forget(label);
    this.#options.queue.forget(label);
  }

  /** Someone corrected the clock: what is due by the time of day is looked for again. */
  timeChanged(): void {
    this.#timers.restart();
  }

  /** True if an object is being written. It is reconciled again once that is done. */
  waitsForWrite(label: string): boolean {
    if (!this.#inFlight.has(label)) return false;
    this.#waitingForWrite.add(label);
    return true;
  }

  /** The API server's last refusal to let an object be written; undefined where it takes all writes. */
  get writesForbidden(): string | undefined {
    const [first] = this.#unwritable.values();
    return first;
  }

  /** True if objects wait for something other than their own next try. */
  get hasWaiting(): boolean {
    return this.#unsettled.values().some((label) => !this.#failing.has(label));
  }

  /**
   * Takes the outcome of an object.
   *
   * @param declared as it was reconciled; if it has changed since, it is in the queue again
   */
  report(declared: DeclaredObject, outcome: Outcome, error?: Error): void {
    const label = labelOf(declared.object);
    const { objects, workspace, clock } = this.#options;
    const now = objects.get(label);
    if (now?.object.metadata.uid !== declared.object.metadata.uid) return;
    const isSettled = outcome.ready === 'True';
    if (outcome.id !== undefined) this.ids.note(now.object, outcome.id);
    const hasOthers = this.ids.of(now.object).some((id) => id !== outcome.id);
    if (!isSettled || hasOthers) this.#unsettled.add(label);
    else if (now.object.metadata.generation === declared.object.metadata.generation) this.#unsettled.delete(label);
    if (this.#isGone(declared.object)) {
      this.#reportGone(declared.object, outcome, error);
      return;
    }
    this.#setBoundary(label, declared.definition, outcome);
    const object = this.latest(declared);
    const isMarked = !isSettled || hasFinalizer(object) || !needsFinalizer(declared.definition, workspace());
    // The API server refused a write before the call, so that nothing happened that a status would have to say.
    const isUntold = error !== undefined && isApiserverError(error);
    const isSame = isMarked && !this.#inFlight.has(label) && statusOf(object, outcome, clock.now()) === object.status;
    if (isUntold || isSame) {
      this.#finish(label, error);
      return;
    }
    const write = async (): Promise<void> => {
      if (!isMarked) await this.#addFinalizer(label);
      await this.#writeOutcome(declared, outcome);
    };
    this.#write(declared.object, write, error);
  }

  /** An object that is gone has no status: its removal is tried again after an error, and otherwise given up. */
  #reportGone(object: CustomObject, { message }: Outcome, error: Error | undefined): void {
    // What was deleted during this reconcile is removed in the next.
    if (!isDeleting(object)) return;
    if (error === undefined) this.#options.onReleased(labelOf(object), message);
    else this.#finish(labelOf(object), error);
  }

  /**
   * Writes down what has to be known before the next call, such as the window of a permission. What this reconcile has said of the object
   * may be overwritten by it, so the object is reported again.
   */
  async writeNow(declared: DeclaredObject, outcome: Outcome): Promise<void> {
    this.#unsettled.add(labelOf(declared.object));
    await this.#inFlight.get(labelOf(declared.object));
    await this.#writeOutcome(declared, outcome);
  }

  async #writeOutcome(declared: DeclaredObject, outcome: Outcome): Promise<void> {
    const { writer, clock } = this.#options;
    const object = this.latest(declared);
    if (this.#isGone(object)) return;
    await writer.writeStatus(object, statusOf(object, outcome, clock.now()));
  }

  /**
   * Puts the finalizer on an object before it gets something in the workspace.
   *
   * @throws StatusError where the object is gone: what it got would stay for ever
   */
  async hold(label: string): Promise<void> {
    await this.#inFlight.get(label);
    if (!this.#options.objects.has(label)) throw new StatusError(404, 'NotFound', `${label} is gone`);
    await this.#addFinalizer(label);
  }

  /** Lets a deleted object go. */
  release(declared: DeclaredObject): void {
    const { object } = declared;
    // Another object has its name by now, and must not be let go in its place.
    if (this.#options.objects.get(labelOf(object))?.object.metadata.uid !== object.metadata.uid) return;
    this.forget(labelOf(object));
    if (this.#isGone(object)) this.#options.onReleased(labelOf(object));
    else this.#write(object, () => this.#options.writer.removeFinalizer(this.latest(declared)));
  }

  /** Reports that the workspace cannot be used, for those of the objects whose status says nothing that still holds. */
  reportNotReady(labels: Iterable<string>, message: string): void {
    for (const label of labels) {
      const declared = this.#options.objects.get(label);
      if (declared === undefined) continue;
      const { object, problem } = declared;
      // An outage must not be written into thousands of objects. That an object is invalid is true during an outage too.
      if (problem === undefined && isObserved(object) && !isUnassigned(object)) continue;
      const outcome =
        problem === undefined
          ? waiting('WorkspaceNotReady', withReleaseHint(object, message))
          : invalid(withReleaseHint(object, problem));
      this.#write(object, () => this.#writeOutcome(declared, outcome));
    }
  }

  /** The object as it was reconciled, with the status that it has by now. */
  latest({ object }: DeclaredObject): CustomObject {
    const now = this.#options.current(labelOf(object));
    return now?.metadata.uid === object.metadata.uid ? asSeen(now, object) : object;
  }

  /** Resolves once few enough statuses wait to be written. */
  async hasRoom(): Promise<void> {
    if (this.#inFlight.size <= maxWaitingWrites) return;
    this.#room ??= Promise.withResolvers<undefined>();
    await this.#room.promise;
  }

  /** Resolves once nothing is being written. */
  async drain(): Promise<void> {
    await Promise.all(this.#inFlight.values());
  }

  [Symbol.dispose](): void {
    this.#timers[Symbol.dispose]();
  }

  /** True if the API server no longer has an object, or has another one under its name. */
  #isGone(object: CustomObject): boolean {
    return this.#options.current(labelOf(object))?.metadata.uid !== object.metadata.uid;
  }

  #write(object: CustomObject, run: () => Promise<void>, error?: Error): void {
    const label = labelOf(object);
    const lastWrite = this.#inFlight.get(label);
    const writing = (lastWrite === undefined ? run() : lastWrite.then(run))
      .then(
        () => error,
        (failed: unknown) => (failed instanceof Error ? failed : new Error(String(failed))),
      )
      .then((failed) => {
        if (this.#inFlight.get(label) === writing) this.#inFlight.delete(label);
        if (this.#inFlight.size <= maxWaitingWrites) this.#makeRoom();
        const isWaiting = this.#waitingForWrite.delete(label);
        // A write of an object that is gone fails: another one of its name must not wait for that.
        if (this.#options.objects.get(label)?.object.metadata.uid !== object.metadata.uid) return;
        this.#finish(label, failed);
        if (isWaiting) this.#options.queue.add(label);
      });
    this.#inFlight.set(label, writing);
  }

  #makeRoom(): void {
    this.#room?.resolve(undefined);
    this.#room = undefined;
  }

  /** After an error that may pass, the object is reconciled again. */
  #finish(label: string, error?: Error): void {
    const { queue, signal, onFailure, onRecovered } = this.#options;
    this.#noteForbidden(label, isStatus(error, 403) ? error : undefined);
    if (error === undefined || isPermanent(error) || signal.aborted) {
      if (this.#failing.delete(label)) onRecovered();
      queue.forget(label);
      return;
    }
    this.#unsettled.add(label);
    this.#failing.add(label);
    const atLeastMs = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
    onFailure(error, queue.retry(label, atLeastMs));
  }

  #noteForbidden(label: string, error: Error | undefined): void {
    const lastRefusal = this.writesForbidden;
    if (error === undefined) this.#unwritable.delete(label);
    else this.#unwritable.set(label, error.message);
    if (this.writesForbidden !== lastRefusal) this.#options.onForbidden();
  }

  async #addFinalizer(label: string): Promise<void> {
    const { objects, workspace, writer } = this.#options;
    const declared = objects.get(label);
    if (declared === undefined || !needsFinalizer(declared.definition, workspace())) return;
    const object = this.latest(declared);
    if (hasFinalizer(object)) return;
    if ((await writer.addFinalizer(object)) === undefined) throw new StatusError(404, 'NotFound', `${label} is gone`);
  }

  /** The state of a permission or membership changes with time alone, without a plan. */
  #setBoundary(label: string, definition: ObjectDefinition, window: TimeWindow): void {
    if (isTimed(definition)) this.#timers.set(label, nextBoundary(window, this.#options.clock.now()));
  }

  #onBoundary(label: string): void {
    const { objects, queue, signal, writer, clock } = this.#options;
    const declared = objects.get(label);
    if (declared === undefined || !isTimed(declared.definition) || signal.aborted) return;
    // A service that keeps no times of memberships needs a plan at this moment.
    if (declared.definition.kind === 'RoleMembership') this.#unsettled.add(label);
    const { object } = declared;
    // The reconcile that the object waits for, or is in, writes its state.
    if (this.#unsettled.has(label) || queue.isBusy(label) || this.#inFlight.has(label) || !isObserved(object)) {
      queue.add(label);
      return;
    }
    const state = stateAt(object.status, clock.now());
    this.#setBoundary(label, declared.definition, object.status);
    if (state !== object.status.state)
      this.#write(object, () => writer.writeStatus(object, { ...object.status, state }));
  }
}

/**
 * True if an object needs the finalizer: its deletion has to remove something from the workspace, or to keep something there from
 * being removed as undeclared.
 */
function needsFinalizer(definition: ObjectDefinition, { spec: { exact = [] } }: DefinitionOf<'Workspace'>): boolean {
  if (isAnnotated(definition, 'rolecall.dev/paused')) return false;
  const { managementPolicy, deletionPolicy } = definition.spec;
  const collection = collectionOf[definition.kind];
  const isLeftAlone = managementPolicy !== 'Full' || deletionPolicy !== 'Delete';
  return !isLeftAlone || collection === undefined || exact.includes(collection);
}
