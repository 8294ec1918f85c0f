/** Plans the whole workspace, runs the plan, and reports the outcome of each object. */

import { randomBytes } from 'node:crypto';
import {
  type DesiredObject,
  findCurrentId,
  holdBack,
  label,
  managerOf,
  otherManagers,
  type Plan,
  type Step,
  type Undeclared,
} from '@rolecall/reconcile';
import { type CustomObject, hasFinalizer, isDeleting, labelOf } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import { secretsOf } from '../resources/secrets.ts';
import { StatusError } from '../runtime/errors.ts';
import { isReady, type Outcome } from '../status/conditions.ts';
import { logStep, writeEvents } from '../status/events.ts';
import { converged, observed, paused, removalsRefused, stalled, waiting, workspaceReady } from '../status/outcomes.ts';
import { withGrantMade, withWindow } from '../status/permission-status.ts';
import { managerName } from './client-pool.ts';
import type { ReconcileContext } from './context.ts';
import { type GatheredState, gatherState } from './desired-state.ts';
import { DurationWindows, withoutMoment } from './duration-windows.ts';
import { type Planned, planAllowed, type Ran, runPlan } from './run-plan.ts';
import { type Selection, selectSteps } from './select-steps.ts';

export interface ApplyOptions {
  /** Objects whose outcome is wanted even where nothing differs, by label. */
  readonly pending: ReadonlySet<string>;
  /** Objects whose steps run before those of the others. */
  readonly isFirst: (label: string) => boolean;
  readonly isBackingOff: (label: string) => boolean;
  /** Whether what is not declared may be removed from the collections that are exact. */
  readonly mayRemove: boolean;
  /** The exact collections in which nothing undeclared was held back when the workspace was last planned. */
  readonly ranExactly: readonly Plan['exact'][number][];
}

export interface Applied {
  /** The outcome of the Workspace itself. */
  readonly outcome: Outcome;
  readonly undeclared: Undeclared;
  /** Whether a step succeeded. */
  readonly hasRun: boolean;
  /** Objects whose steps are left to the next reconcile. */
  readonly later: ReadonlySet<string>;
  /** The collections that are exact, where nothing undeclared was held back; undefined where that was not asked. */
  readonly ranExactly: readonly Plan['exact'][number][] | undefined;
}

const salt = randomBytes(16).toString('hex');

/**
 * Makes the workspace as its objects declare it.
 *
 * @throws what may pass: the workspace could not be read
 */
export async function applyChanges(context: ReconcileContext, options: ApplyOptions): Promise<Applied> {
  const run = new ApplyRun(context, options, await planWorkspace(context, options));
  return run.apply();
}

interface WorkspacePlan {
  readonly now: Date;
  readonly state: GatheredState;
  readonly planned: Planned;
  readonly objects: ReadonlyMap<string, DesiredObject>;
  /** Objects that the service refused as they are declared now, with their outcome. */
  readonly refusedBefore: ReadonlyMap<string, Outcome>;
}

async function planWorkspace(context: ReconcileContext, options: ApplyOptions): Promise<WorkspacePlan> {
  const { operator, workspace, view, connected, refused } = context;
  const { definition } = workspace;
  const { namespace } = workspace.object.metadata;
  const now = new Date(operator.clock.now());
  // A deleted object declares what it did until that is removed: an exact collection would remove it otherwise, protected or not.
  const declaring = [...context.objects.values()].filter(({ object }) => !isDeleting(object) || hasFinalizer(object));
  for (const { object } of declaring) refused.begin(labelOf(object));
  const state = await gatherState(definition, declaring, operator.informer, now.getTime());
  const known = await Promise.all(
    state.state.objects.map((object) => withGrantMade(object, state.declared.get(label(object)), view, now)),
  );
  const refusedBefore = new Map<string, Outcome>();
  const wanted = known.map((object) => {
    const before = refused.find(label(object), () => asDeclared(object));
    if (before === undefined) return object;
    refusedBefore.set(label(object), before);
    return holdBack(object);
  });
  // An object that came since then may declare what no other does.
  const isAll = [...context.objects.keys()].every((name) => state.declared.has(name) || isGoing(context, name));
  const exact = options.mayRemove && isAll && state.isComplete ? state.state.exact : [];
  const planned = await planAllowed({ ...state.state, objects: wanted, exact }, view, {
    workspace: { url: connected.url, name: definition.metadata.name },
    overrides: [],
    manager: {
      ...managerOf(managerName(`${namespace}/${definition.metadata.name}`), connected.client),
      ranExactly: options.ranExactly,
    },
    now,
    resolveSecret: secretsOf(namespace, operator.informer),
    salt,
    bare: true,
  });
  return { now, state, planned, objects: new Map(wanted.map((object) => [label(object), object])), refusedBefore };
}

/** Whether an object has been removed, and is only kept by the finalizer of another program. */
function isGoing({ objects }: ReconcileContext, name: string): boolean {
  const object = objects.get(name)?.object;
  return object !== undefined && isDeleting(object) && !hasFinalizer(object);
}

/** An object as it is declared, without what only this reconcile knows. */
const asDeclared = (object: DesiredObject): string => JSON.stringify({ ...object, paused: false, waits: undefined });

/** One run of a plan: which objects have been reported, and what was made. */
class ApplyRun {
  readonly #context: ReconcileContext;
  readonly #options: ApplyOptions;
  readonly #plan: WorkspacePlan;
  readonly #selection: Selection;
  readonly #windows: DurationWindows;
  #managers: Awaited<ReturnType<typeof otherManagers>> = new Map();
  readonly #reported = new Set<string>();
  readonly #made: Step[] = [];
  /** The finalizers that are put on objects before their first call. */
  readonly #owned = new Map<string, Promise<void>>();
  /** Reports that wait for an id to be found. */
  readonly #finishing: Promise<void>[] = [];

  constructor(context: ReconcileContext, options: ApplyOptions, plan: WorkspacePlan) {
    this.#context = context;
    this.#options = options;
    this.#plan = plan;
    this.#selection = selectSteps(plan.planned.plan.steps, options.isBackingOff, options.isFirst);
    this.#windows = new DurationWindows(plan.state, (declared, outcome) => context.status.writeNow(declared, outcome));
  }

  async apply(): Promise<Applied> {
    const { planned, state } = this.#plan;
    for (const name of state.declared.keys()) {
      const outcome = this.#heldBack(name);
      if (outcome !== undefined && !this.#windows.follows(name)) this.#report(name, outcome);
    }
    const ran = await this.#run();
    await Promise.all(this.#finishing);
    const events = this.#writeEvents(ran);
    this.#reportFailed(ran);
    await this.#reportRest();
    await events;
    const isAsked = this.#options.mayRemove;
    return {
      outcome: planned.removals[0] === undefined ? workspaceReady : removalsRefused(planned.removals[0]),
      undeclared: planned.undeclared,
      hasRun: this.#made.length > 0,
      later: this.#selection.later,
      ranExactly: isAsked ? (planned.removals.length === 0 ? planned.plan.exact : []) : undefined,
    };
  }

  async #run(): Promise<Ran> {
    const { operator, workspace, view, connected, status } = this.#context;
    const { namespace } = workspace.object.metadata;
    const { steps } = this.#selection;
    await this.#findManagers(steps);
    // All finalizers at once, as far as the API server takes them: one for each step as it comes would leave it waiting.
    for (const name of new Set(steps.map(({ object }) => label(object)))) {
      if (!this.#plan.state.declared.has(name)) continue;
      const owning = status.own(name);
      // The step that waits for it reports its failure; a run that was interrupted waits for none.
      owning.catch(() => undefined);
      this.#owned.set(name, owning);
    }
    const ran = await runPlan(
      { ...this.#plan.planned.plan, steps },
      {
        client: connected.client,
        view,
        resolveSecret: secretsOf(namespace, operator.informer),
        signal: operator.signal,
        concurrency: operator.concurrency,
        before: (step) => this.#before(step),
        onStep: (step) => {
          this.#made.push(step);
          logStep(operator.log, namespace, step);
        },
        onObject: (name, id) => {
          this.#onObject(name, id);
        },
      },
    );
    if (ran.isDoubtful) this.#context.expireView();
    return ran;
  }

  /** Finds who else wrote what is about to be put right; asked only then, so that a workspace at rest costs no call. */
  async #findManagers(steps: readonly Step[]): Promise<void> {
    const { workspace, connected } = this.#context;
    const drifted = steps.filter(({ object }) => object.undeclared !== true && this.#hasDrifted(label(object)));
    const { namespace, name } = workspace.object.metadata;
    const manager = managerOf(managerName(`${namespace}/${name}`), connected.client);
    this.#managers = await otherManagers(drifted, manager);
  }

  /** Whether an object was as declared, and neither it nor its Secret or ConfigMap changed since. */
  #hasDrifted(name: string): boolean {
    const object = this.#plan.state.declared.get(name)?.object;
    return object !== undefined && isReady(object) && !this.#context.sourceChanged.has(name);
  }

  async #before(step: Step): Promise<void> {
    const name = label(step.object);
    await this.#owned.get(name);
    await this.#windows.before(step);
    const declared = this.#plan.state.declared.get(name);
    if (step.object.undeclared === true || declared === undefined) return;
    // An object that was deleted before its first call has no finalizer: what is made for it now would stay for ever.
    if (this.#context.objects.get(name)?.object.metadata.uid !== declared.object.metadata.uid)
      throw new StatusError(404, 'NotFound', `${name} is gone`);
  }

  #onObject(name: string, id: string | undefined): void {
    const object = this.#plan.objects.get(name);
    if (object === undefined || this.#isPostponed(name)) return;
    if (id !== undefined) this.#report(name, { ...converged, id });
    else
      this.#finishing.push(
        this.#settled(object).then((outcome) => {
          this.#report(name, outcome);
        }),
      );
  }

  #writeEvents(ran: Ran): Promise<void> {
    const { operator, workspace, sourceChanged } = this.#context;
    const correctedOf = (name: string): CustomObject | undefined =>
      this.#hasDrifted(name) && !ran.failed.has(name) ? this.#plan.state.declared.get(name)?.object : undefined;
    const events = writeEvents(this.#made, correctedOf, this.#managers, workspace.object, operator);
    for (const name of this.#plan.state.declared.keys()) {
      if (!ran.failed.has(name) && !this.#isPostponed(name)) sourceChanged.delete(name);
    }
    return events;
  }

  #reportFailed(ran: Ran): void {
    for (const [name, { outcome, error }] of ran.failed) {
      this.#report(name, outcome, error);
      const object = this.#plan.objects.get(name);
      if (ran.refused.has(name) && object !== undefined) this.#context.refused.add(name, asDeclared(object), outcome);
    }
    for (const [name, cause] of this.#selection.waiting) {
      this.#report(name, waiting('Waiting', `It waits for ${cause}, which failed and is tried again.`));
    }
  }

  /** Reports the objects without steps: those that changed, those that were not settled, and those that are only observed. */
  async #reportRest(): Promise<void> {
    const { status } = this.#context;
    const { state, planned, objects } = this.#plan;
    const differing = new Set(planned.plan.observed.map((step) => label(step.object)));
    for (const name of state.declared.keys()) {
      const isAsked = this.#options.pending.has(name) || status.unsettled.has(name) || differing.has(name);
      if (!isAsked || this.#reported.has(name) || this.#isPostponed(name)) continue;
      const object = objects.get(name);
      const notConverged = this.#heldBack(name) ?? stalled('Invalid', 'It cannot be converged.');
      const isHeld = object === undefined || this.#heldBack(name) !== undefined;
      this.#report(name, isHeld ? notConverged : await this.#settled(object));
    }
  }

  #heldBack(name: string): Outcome | undefined {
    const { state, planned, refusedBefore } = this.#plan;
    return state.held.get(name) ?? refusedBefore.get(name) ?? planned.held.get(name);
  }

  #isPostponed(name: string): boolean {
    return this.#selection.later.has(name) || this.#hasOwnBackOff(name);
  }

  /** Whether an object has steps that wait for its own back-off: then its status stays as it is. */
  #hasOwnBackOff(name: string): boolean {
    const { steps } = this.#plan.planned.plan;
    return this.#options.isBackingOff(name) && steps.some(({ object }) => label(object) === name);
  }

  #report(name: string, outcome: Outcome, error?: Error): void {
    const { view, connected, operator, status } = this.#context;
    const { state, objects, now } = this.#plan;
    const declared = state.declared.get(name);
    if (declared === undefined || isDeleting(declared.object) || this.#reported.has(name)) return;
    this.#reported.add(name);
    const hasBegun = this.#windows.hasBegun(name);
    const full = withWindow(outcome, declared, {
      ...{ view, url: connected.url, isOthers: state.conflicts.has(name), hasBegun },
      now: hasBegun ? operator.clock.now() : now.getTime(),
      id: objects.get(name)?.id,
    });
    status.report(declared, full, error);
  }

  async #settled(object: DesiredObject): Promise<Outcome> {
    if (object.paused) return paused;
    const { state, planned, now } = this.#plan;
    const name = label(object);
    const steps = object.observeOnly ? planned.plan.observed.filter((step) => label(step.object) === name) : [];
    const declared: DeclaredObject | undefined = state.declared.get(name);
    const told = state.beginning.has(name) ? steps.map((step) => withoutMoment(step, declared)) : steps;
    const outcome = object.observeOnly ? observed(told) : converged;
    if (outcome.ready !== 'True') return outcome;
    const id = await findCurrentId(object, this.#context.view, now);
    // A permission keeps the id of its grant after that has ended.
    return id === undefined && object.kind === 'Permission' ? outcome : { ...outcome, id };
  }
}
