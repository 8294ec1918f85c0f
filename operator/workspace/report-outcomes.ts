/** Reports what a run of a plan came to for each object, once. */

import { setImmediate as nextTurn } from 'node:timers/promises';
import { type DesiredObject, findCurrentId, label } from '@rolecall/reconcile';
import { isDeleting } from '../resources/custom-object.ts';
import type { Outcome } from '../status/conditions.ts';
import {
  converged,
  keptByOperator,
  observed,
  paused,
  stalled,
  undetermined,
  waiting,
  waitingFor,
} from '../status/outcomes.ts';
import { withWindow } from '../status/permission-status.ts';
import { homeOf } from '../status/recorded-id.ts';
import type { ReconcileContext } from './context.ts';
import { type DurationWindows, withoutMoment } from './duration-windows.ts';
import { asDeclared, type WorkspacePlan } from './plan-workspace.ts';
import type { Ran } from './run-plan.ts';
import type { Selection } from './select-steps.ts';
import { findSharedSteps } from './shared-steps.ts';

export class OutcomeReport {
  readonly #context: ReconcileContext;
  readonly #plan: WorkspacePlan;
  readonly #windows: DurationWindows;
  readonly #selection: Selection;
  /** For roles and memberships, the objects that make calls of theirs. */
  readonly #makers: ReadonlyMap<string, ReadonlySet<string>>;
  /** Memberships for a time on a service that keeps no times. */
  readonly #keptByOperator: ReadonlySet<string>;
  /** Why the operator leaves a part of an object as it is, by the label of the object. */
  readonly #undetermined: ReadonlyMap<string, string>;
  readonly #reported = new Set<string>();
  /** Objects whose own steps have all succeeded, and that share others. */
  readonly #sharing = new Set<string>();
  /** Reports that wait for an id to be found. */
  readonly #finishing: Promise<void>[] = [];

  constructor(context: ReconcileContext, plan: WorkspacePlan, windows: DurationWindows, selection: Selection) {
    this.#context = context;
    this.#plan = plan;
    this.#windows = windows;
    this.#selection = selection;
    this.#makers = findSharedSteps(plan);
    const kept = plan.plan.notes.filter(({ code }) => code === 'kept-by-runs');
    this.#keptByOperator = new Set(kept.map(({ object }) => object));
    const doubts = plan.plan.notes.filter(({ code }) => code === 'undetermined');
    this.#undetermined = new Map([
      ...doubts.map(({ object, message }) => [object, `It ${message}`] as const),
      ...plan.undetermined,
    ]);
  }

  /** Reports the objects that are held back. */
  held(): void {
    for (const [name, outcome] of this.#plan.held) if (!this.#windows.follows(name)) this.#report(name, outcome);
  }

  /** Reports an object whose steps have all succeeded. @param id of what they made */
  ran(name: string, id: string | undefined): void {
    const object = this.#plan.desired.get(name);
    // With steps that wait for another object, it is not as declared.
    if (object === undefined || this.isPostponed(name) || this.#selection.waiting.has(name)) return;
    if (this.#makers.has(name)) {
      this.#sharing.add(name);
      return;
    }
    if (id !== undefined) this.#report(name, { ...this.#asDeclared(name), id });
    else {
      const finishing = this.#settled(object).then((outcome) => {
        this.#report(name, outcome);
      });
      // `finished` tells of a failure. Until then other steps run, and a rejection that no one awaits ends the process.
      finishing.catch(() => undefined);
      this.#finishing.push(finishing);
    }
  }

  /** Resolves once all objects whose steps succeeded are reported. */
  async finished(): Promise<void> {
    await Promise.all(this.#finishing);
  }

  /** Reports the objects with steps that failed, or that wait for such a step. */
  failed(ran: Ran): void {
    for (const [name, { outcome, error }] of ran.failed) {
      this.#report(name, outcome, error);
      const object = this.#plan.desired.get(name);
      if (object !== undefined && ran.refused.has(name)) this.#context.refused.add(name, asDeclared(object), outcome);
    }
    for (const [name, cause] of this.#selection.waiting) this.#report(name, waitingFor(cause));
    for (const [name, makers] of this.#makers) {
      const failed = [...makers].find((maker) => ran.failed.has(maker));
      if (failed !== undefined) this.#report(name, waitingFor(failed));
    }
  }

  /** Writes down what the objects got whose other steps did not run, since the operator ends: the next one goes on from there. */
  interrupted({ made }: Ran): void {
    const outcome = waiting('Waiting', 'The operator stopped before all of it was done.');
    for (const [name, id] of made)
      if (this.#plan.desired.get(name)?.id === undefined) this.#report(name, { ...outcome, id });
  }

  /** Reports the objects without steps: those that changed, those that were not settled, and those that are only observed. */
  async rest(pending: ReadonlySet<string>): Promise<void> {
    const { declared, desired, held, plan } = this.#plan;
    const differing = [...plan.observed.map((step) => label(step.object)), ...this.#undetermined.keys()];
    let count = 0;
    for (const name of new Set([...pending, ...this.#context.status.unsettled, ...differing, ...this.#sharing])) {
      // What was made is told first, and thousands of others keep nothing waiting.
      if (count % 512 === 0) await nextTurn();
      count += 1;
      if (!declared.has(name) || this.#reported.has(name)) continue;
      if ([name, ...(this.#makers.get(name) ?? [])].some((objectName) => this.isPostponed(objectName))) continue;
      const object = desired.get(name);
      const outcome = held.get(name) ?? (object === undefined ? notConverged : await this.#settled(object));
      this.#report(name, outcome);
    }
  }

  /** True if an object has steps that are left to a later reconcile: then its status stays as it is. */
  isPostponed(name: string): boolean {
    return this.#selection.later.has(name) || this.#selection.backingOff.has(name);
  }

  #report(name: string, outcome: Outcome, error?: Error): void {
    const { view, clock, status } = this.#context;
    const { declared, desired, conflicts, now } = this.#plan;
    const declaration = declared.get(name);
    if (declaration === undefined || isDeleting(declaration.object) || this.#reported.has(name)) return;
    this.#reported.add(name);
    const hasBegun = this.#windows.hasBegun(name);
    const full = withWindow(outcome, declaration, {
      ...{ view, home: homeOf(this.#context), isOthers: conflicts.has(name), hasBegun },
      now: hasBegun ? clock.now() : now.getTime(),
      desired: desired.get(name),
      id: desired.get(name)?.id,
    });
    status.report(declaration, full, error);
  }

  /** The outcome of an object with no step left. */
  #asDeclared(name: string): Outcome {
    const why = this.#undetermined.get(name);
    if (why !== undefined) return undetermined(why);
    return this.#keptByOperator.has(name) ? keptByOperator : converged;
  }

  async #settled(object: DesiredObject): Promise<Outcome> {
    if (object.paused) return paused;
    const { declared, beginning, plan, now } = this.#plan;
    const name = label(object);
    const steps = object.observeOnly ? plan.observed.filter((step) => label(step.object) === name) : [];
    const told = beginning.has(name) ? steps.map((step) => withoutMoment(step, declared.get(name))) : steps;
    if (told.length > 0) return observed(told);
    const outcome = object.observeOnly && !this.#undetermined.has(name) ? observed([]) : this.#asDeclared(name);
    const id = await findCurrentId(object, this.#context.view, now);
    // A permission keeps the id of its grant after that has ended.
    return id === undefined && object.kind === 'Permission' ? outcome : { ...outcome, id };
  }
}

const notConverged = stalled('Invalid', 'It cannot be converged.');
