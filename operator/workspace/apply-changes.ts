/** Plans the whole workspace, runs the plan, and has the outcome of each object reported. */

import { label, managerOf, otherManagers, type Plan, type Step, type Undeclared } from '@rolecall/reconcile';
import type { CustomObject } from '../resources/custom-object.ts';
import { secretsOf } from '../resources/secrets.ts';
import { StatusError } from '../runtime/errors.ts';
import { isReady, type Outcome } from '../status/conditions.ts';
import { logStep, writeEvents } from '../status/events.ts';
import { removalsRefused, workspaceReady } from '../status/outcomes.ts';
import { managerName } from './client-pool.ts';
import type { ReconcileContext } from './context.ts';
import { DeletionReport } from './deletion-report.ts';
import { DurationWindows } from './duration-windows.ts';
import { planWorkspace, type WorkspacePlan } from './plan-workspace.ts';
import { OutcomeReport } from './report-outcomes.ts';
import { type Ran, runPlan } from './run-plan.ts';
import { type Selection, selectSteps } from './select-steps.ts';

export interface ApplyOptions {
  /** Objects whose outcome is wanted even where nothing differs, by label. */
  readonly pending: ReadonlySet<string>;
  /** Objects whose steps run before those of the others. */
  readonly isFirst: (label: string) => boolean;
  readonly isBackingOff: (label: string) => boolean;
  /** True if undeclared objects may be removed from the exact collections. */
  readonly mayRemove: boolean;
  /** The exact collections in which nothing undeclared was held back when the workspace was last planned. */
  readonly ranExactly: readonly Plan['exact'][number][];
}

export interface Applied {
  /** The outcome of the Workspace itself. */
  readonly outcome: Outcome;
  readonly undeclared: Undeclared;
  /** The length of the planning. */
  readonly planningMs: number;
  /** True if a step succeeded. */
  readonly hasRun: boolean;
  /** Objects whose steps are left to the next reconcile. */
  readonly later: ReadonlySet<string>;
  /** The collections that are exact, where nothing undeclared was held back; undefined where that was not asked. */
  readonly ranExactly: readonly Plan['exact'][number][] | undefined;
}

/**
 * Makes the workspace as its objects declare it.
 *
 * @throws what may pass: the workspace could not be read; or the operator is to end, and what was made is written down
 */
export async function applyChanges(context: ReconcileContext, options: ApplyOptions): Promise<Applied> {
  const changes = new Map(context.sourceChanged);
  const plan = await planWorkspace(context, options.mayRemove, options.ranExactly);
  context.operator.signal.throwIfAborted();
  return new ApplyRun(context, options, plan, changes).apply();
}

/** One run of a plan: what was made, and who else had written it. */
class ApplyRun {
  readonly #context: ReconcileContext;
  readonly #options: ApplyOptions;
  readonly #plan: WorkspacePlan;
  /** The changes of Secrets and ConfigMaps that came before the plan read these. */
  readonly #changes: ReadonlyMap<string, symbol>;
  readonly #selection: Selection;
  readonly #windows: DurationWindows;
  readonly #report: OutcomeReport;
  readonly #deletions: DeletionReport;
  #managers: Awaited<ReturnType<typeof otherManagers>> = new Map();
  readonly #made: Step[] = [];
  /** The finalizers that are put on objects before their first call. */
  readonly #owned = new Map<string, Promise<void>>();

  constructor(
    context: ReconcileContext,
    options: ApplyOptions,
    plan: WorkspacePlan,
    changes: ReadonlyMap<string, symbol>,
  ) {
    this.#context = context;
    this.#options = options;
    this.#plan = plan;
    this.#changes = changes;
    const { isBackingOff, isFirst } = options;
    this.#selection = selectSteps(plan.plan, isBackingOff, isFirst);
    this.#windows = new DurationWindows(plan, (declared, outcome) => context.status.writeNow(declared, outcome));
    this.#report = new OutcomeReport(context, plan, this.#windows, this.#selection);
    this.#deletions = new DeletionReport(context, plan.deletions);
  }

  async apply(): Promise<Applied> {
    const { plan, removals, undeclared, planningMs } = this.#plan;
    this.#report.held();
    const ran = await this.#run();
    await this.#report.finished();
    const events = this.#writeEvents(ran);
    const { signal } = this.#context.operator;
    if (signal.aborted) this.#report.interrupted(ran);
    else {
      this.#report.failed(ran);
      await this.#report.rest(this.#options.pending);
      const isPostponed = (name: string): boolean => this.#report.isPostponed(name);
      await this.#deletions.finish(ran, this.#plan.declared, isPostponed, this.#selection.waiting);
    }
    await events;
    signal.throwIfAborted();
    const isAsked = this.#options.mayRemove;
    return {
      outcome: removals[0] === undefined ? workspaceReady : removalsRefused(removals[0]),
      undeclared,
      planningMs,
      hasRun: this.#made.length > 0,
      later: this.#selection.later,
      ranExactly: isAsked ? (removals.length === 0 ? plan.exact : []) : undefined,
    };
  }

  async #run(): Promise<Ran> {
    const { operator, workspace, view, connected, status, bridges } = this.#context;
    const { namespace } = workspace.object.metadata;
    const { steps } = this.#selection;
    await this.#findManagers(steps);
    // All finalizers at once, as far as the API server takes them: one for each step as it comes would leave it waiting.
    for (const name of new Set(steps.flatMap(({ object }) => (object.undeclared === true ? [] : [label(object)])))) {
      if (!this.#plan.declared.has(name)) continue;
      const holding = status.hold(name);
      // The step that waits for it reports its failure; a run that was interrupted waits for none.
      holding.catch(() => undefined);
      this.#owned.set(name, holding);
    }
    const ran = await runPlan(
      { ...this.#plan.plan, steps },
      {
        client: connected.client,
        view,
        resolveSecret: secretsOf(namespace, operator.informer),
        signal: operator.signal,
        concurrency: operator.concurrency,
        before: (step) => this.#before(step),
        onStep: (step) => {
          this.#made.push(step);
          this.#deletions.made(step);
          logStep(operator.log, namespace, step);
        },
        onMade: (name, id) => {
          const declared = this.#plan.declared.get(name);
          // A run makes nothing else that no object declares.
          if (declared === undefined) bridges.add(id);
          else status.ids.note(declared.object, id);
        },
        onObject: (name, id) => {
          this.#report.ran(name, id);
          this.#deletions.ran(name);
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

  /** True if an object was as declared, and neither it nor its Secret or ConfigMap changed since. */
  #hasDrifted(name: string): boolean {
    const object = this.#plan.declared.get(name)?.object;
    return object !== undefined && isReady(object) && !this.#context.sourceChanged.has(name);
  }

  async #before(step: Step): Promise<void> {
    const name = label(step.object);
    await this.#owned.get(name);
    await this.#windows.before(step);
    const declared = this.#plan.declared.get(name);
    if (step.object.undeclared === true || declared === undefined) return;
    // An object that was deleted before its first call has no finalizer: what is made for it now would stay for ever.
    if (this.#context.objects.get(name)?.object.metadata.uid !== declared.object.metadata.uid)
      throw new StatusError(404, 'NotFound', `${name} is gone`);
  }

  #writeEvents(ran: Ran): Promise<void> {
    const { operator, workspace, sourceChanged } = this.#context;
    const { declared } = this.#plan;
    const correctedOf = (name: string): CustomObject | undefined =>
      this.#hasDrifted(name) && !ran.failed.has(name) ? declared.get(name)?.object : undefined;
    const events = writeEvents(this.#made, correctedOf, this.#managers, workspace.object, operator);
    for (const [name, change] of this.#changes) {
      // What changed again meanwhile is written by the next run.
      if (sourceChanged.get(name) !== change) continue;
      if (declared.has(name) && !ran.failed.has(name) && !this.#report.isPostponed(name)) sourceChanged.delete(name);
    }
    return events;
  }
}
