/** Reconciles one workspace: makes what its objects declare, then removes what deleted objects made. */

import type { Client } from '@rolecall/api';
import { listUpTo } from '@rolecall/reconcile';
import { asSeen, type CustomObject, hasFinalizer, isDeleting, labelOf } from '../resources/custom-object.ts';
import type { WorkQueue } from '../runtime/work-queue.ts';
import { type Outcome, statusOf } from '../status/conditions.ts';
import {
  isApiserverError,
  isKeyRefused,
  keyRefused,
  messageOf,
  removalsSuspended,
  stalled,
  tooManyObjects,
  waiting,
  withReleaseHint,
  workspaceDeletion,
  workspaceReady,
  writesForbidden,
} from '../status/outcomes.ts';
import type { StatusManager } from '../status/status-manager.ts';
import { type Applied, applyChanges } from './apply-changes.ts';
import type { AddingKind, DeclaredObjects, OperatorContext, ReconcileContext, WorkspaceObject } from './context.ts';
import type { Reconciler, Request, Result } from './reconciler.ts';
import { RefusedObjects } from './refused-objects.ts';
import type { ServiceClock } from './service-clock.ts';
import { type CurrentView, ViewCache } from './view-cache.ts';

export interface WorkspaceReconcilerOptions {
  readonly operator: OperatorContext;
  /** The clock of the service. */
  readonly clock: ServiceClock;
  readonly objects: DeclaredObjects;
  readonly queue: Pick<WorkQueue, 'isBackingOff'>;
  readonly status: StatusManager;
  /** The Workspace as it is now: it may change during a reconcile. */
  readonly workspace: () => WorkspaceObject;
  /** Labels of objects in the namespace that are not valid, and may declare what no other object does. */
  readonly invalid: () => ReadonlySet<string>;
  /** True if there are objects without a Workspace that may belong to this one. */
  readonly hasUnassigned: () => boolean;
  /** Aborted when the operator or this workspace ends. */
  readonly isOver: AbortSignal;
}

const notReached = { again: 'with an event', because: 'not reached' } as const;

/** Reconciles a workspace, and keeps what one reconcile learnt for the next. */
export class WorkspaceReconciler implements Reconciler {
  readonly view = new ViewCache();
  readonly refused = new RefusedObjects();
  readonly sourceChanged = new Map<string, symbol>();
  readonly bridges = new Set<string>();
  planningMs = 0;
  readonly #options: WorkspaceReconcilerOptions;
  /** True if it forgot what was learnt elsewhere, and has not planned since. */
  #hasForgotten = false;
  /** True if the log has said that the service refuses the key. */
  #isKeyRefused = false;
  /** True if the last plan knew only some of the objects of the namespace. */
  #wasPartial = false;
  #last: Pick<Applied, 'outcome' | 'undeclared'> | undefined;
  #ranExactly: { readonly url: string; readonly collections: NonNullable<Applied['ranExactly']> } | undefined;

  constructor(options: WorkspaceReconcilerOptions) {
    this.#options = options;
  }

  /** Reads the workspace while the objects are still being listed. What fails here fails again in the first reconcile, which reports it. */
  async prefetch(): Promise<void> {
    const { operator, workspace } = this.#options;
    const { object, definition } = workspace();
    if (isDeleting(object)) return;
    try {
      const connected = await operator.clients.connect(definition, object.metadata.namespace, false);
      if ('reason' in connected) return;
      const { view } = await this.view.get(connected.client, false);
      await view.people();
    } catch {
      // The first reconcile reads it again.
    }
  }

  async reconcile(request: Request): Promise<Result> {
    try {
      const result = await this.#reconcile(request);
      this.#isKeyRefused = false;
      return result;
    } catch (thrown) {
      const error = thrown instanceof Error ? thrown : new Error(String(thrown));
      if (!this.#options.isOver.aborted) await this.#reportError(request.taken, error);
      throw error;
    }
  }

  async #reconcile({ taken, later, isPlanDue }: Request): Promise<Result> {
    const { operator, status, workspace } = this.#options;
    const { object, definition } = workspace();
    const { namespace, name } = object.metadata;
    if (!(await this.#holdWorkspace(object))) return notReached;
    const connected = await operator.clients.connect(definition, namespace, isDeleting(object));
    if ('reason' in connected) {
      const unusable = passing.has(connected.reason) ? waiting : stalled;
      await this.#writeOutcome(unusable(connected.reason, withReleaseHint(object, connected.message)), object);
      status.reportNotReady(taken, `The Workspace ${name} cannot be used: ${connected.message}`);
      return notReached;
    }
    const { view, hasDrifted } = await this.#readView(connected.client, definition);
    const context = this.#contextOf(view, connected);
    const isPartial = operator.excess(namespace) !== undefined;
    const isAsked =
      isPlanDue ||
      this.#hasForgotten ||
      hasDrifted ||
      status.unsettled.size > 0 ||
      isPartial !== this.#wasPartial ||
      // One that was being written when its deletion was planned has waited for that write, which is no change.
      [...taken].some((label) => this.#isDeleted(label));
    this.#wasPartial = isPartial;
    this.#hasForgotten = false;
    const pending = hasDrifted ? new Set(this.#options.objects.keys()) : taken;
    const applied = isAsked ? await this.#converge(context, pending, later) : undefined;
    operator.signal.throwIfAborted();
    const outcome = this.#workspaceOutcome();
    const message = `${outcome.message}${this.#options.clock.describe()}`;
    await this.#writeOutcome({ ...outcome, message, undeclared: this.#undeclared() }, object);
    if (applied !== undefined && applied.later.size > 0)
      return { again: 'at once', because: 'steps are left', later: applied.later };
    if (applied?.hasRun === true && status.hasWaiting) return { again: 'in a moment', because: 'others wait' };
    return { again: 'with an event', because: 'done' };
  }

  async #readView(client: Client, { spec }: WorkspaceObject['definition']): Promise<CurrentView> {
    const needsSnippets = this.#has('Snippet') || spec.exact?.includes('snippets') === true;
    this.#forgetOther(client);
    const current = await this.view.get(client, needsSnippets);
    // A plan without objects reads nothing; whether this key reaches the workspace has to be found out all the same.
    await (this.#has('Person') ? current.view.people() : current.view.dataSources());
    this.#forgetOther(client);
    this.view.settle(client);
    return current;
  }

  #contextOf(view: CurrentView['view'], connected: ReconcileContext['connected']): ReconcileContext {
    const { operator, objects, status, workspace, clock } = this.#options;
    return {
      missing: this.#findMissing(operator.excess(workspace().object.metadata.namespace)),
      ...{ operator, workspace: workspace(), objects, view, connected, status, clock },
      ...{ refused: this.refused, bridges: this.bridges, sourceChanged: this.sourceChanged },
      expireView: () => {
        this.view.expire();
      },
    };
  }

  /** Says in the statuses that the workspace cannot be used, unless it is these that cannot be written. */
  async #reportError(taken: ReadonlySet<string>, error: Error): Promise<void> {
    const { operator, objects, status, workspace } = this.#options;
    const { object, definition } = workspace();
    const labels = [...taken].filter((label) => objects.has(label));
    status.unsettle(labels);
    const isRefusedBefore = this.#isKeyRefused;
    this.#isKeyRefused = isKeyRefused(error);
    if (isApiserverError(error)) return;
    this.view.expire();
    status.reportNotReady(labels, `The Workspace ${object.metadata.name} cannot be used: ${messageOf(error)}`);
    if (!this.#isKeyRefused) {
      await this.#writeOutcome(waiting('Unreachable', messageOf(error)), object).catch(() => undefined);
      return;
    }
    const outcome = keyRefused(error, definition);
    const { namespace, name } = object.metadata;
    // The log says it once, though each drift check finds it again, maybe for days.
    if (!isRefusedBefore)
      operator.log('warn', `${namespace}: ${labelOf(object)}: ${outcome.message}`, {
        ...{ namespace, kind: object.kind, name },
      });
    // Where this fails, the work loop tries again: nothing else would write it.
    await this.#writeOutcome(outcome, object);
  }

  /** Writes the status of the Workspace. @param seen as it was reconciled */
  async #writeOutcome(outcome: Outcome, seen: CustomObject): Promise<void> {
    const { operator, workspace } = this.#options;
    const object = asSeen(workspace().object, seen);
    await operator.writer.writeStatus(object, statusOf(object, outcome, operator.clock.now()));
  }

  /**
   * Forgets what was learnt with another key, at another address or from another store: what the service refused one key, it may allow
   * another, and ids are of one store.
   */
  #forgetOther(client: Client): void {
    if (!this.view.isOfOther(client)) return;
    this.refused.clear();
    this.#options.status.ids.clear();
    this.bridges.clear();
    this.#hasForgotten = true;
  }

  /** @returns whether there is something to reconcile */
  async #holdWorkspace(object: CustomObject): Promise<boolean> {
    const { operator, objects, hasUnassigned } = this.#options;
    const isUsed = (): boolean =>
      hasUnassigned() || [...objects.values()].some((declaration) => hasFinalizer(declaration.object));
    if (isDeleting(object)) {
      if (isUsed()) return true;
      await operator.writer.removeFinalizer(object);
      return false;
    }
    if (objects.size === 0 || hasFinalizer(object)) return true;
    return (await operator.writer.addFinalizer(object)) !== undefined;
  }

  /** Makes what is declared. */
  async #converge(
    context: ReconcileContext,
    pending: ReadonlySet<string>,
    later: ReadonlySet<string>,
  ): Promise<Applied> {
    const { queue, status, invalid } = this.#options;
    const { object, definition } = context.workspace;
    const { url } = context.connected;
    const applied = await applyChanges(context, {
      pending,
      isFirst: (label) => pending.has(label) && !later.has(label),
      isBackingOff: (key) => queue.isBackingOff(key),
      mayRemove:
        (definition.spec.exact ?? []).length > 0 &&
        invalid().size === 0 &&
        !isDeleting(object) &&
        context.operator.excess(object.metadata.namespace) === undefined,
      ranExactly: this.#ranExactly?.url === url ? this.#ranExactly.collections : [],
    });
    this.#last = applied;
    this.planningMs = applied.planningMs;
    if (applied.ranExactly !== undefined) this.#ranExactly = { url, collections: applied.ranExactly };
    status.unsettle(applied.later);
    return applied;
  }

  #workspaceOutcome(): Outcome {
    const { operator, workspace, objects, status, hasUnassigned, invalid } = this.#options;
    const { object, definition } = workspace();
    const excess = operator.excess(object.metadata.namespace);
    if (isDeleting(object))
      return workspaceDeletion(
        [...objects.values()].map((declaration) => declaration.object),
        hasUnassigned(),
      );
    const forbidden = status.writesForbidden;
    if (forbidden !== undefined) return writesForbidden(forbidden);
    if (excess !== undefined) return tooManyObjects(excess);
    const { outcome = workspaceReady } = this.#last ?? {};
    const isExact = (definition.spec.exact ?? []).length > 0;
    return isExact && invalid().size > 0 ? removalsSuspended(invalid()) : outcome;
  }

  /** Counts the objects of the workspace that nothing declares, as far as the last plan read it. */
  #undeclared(): Outcome['undeclared'] {
    if (this.#last === undefined) return undefined;
    const counts = Object.entries(this.#last.undeclared).map(([collection, { count }]) => [collection, count] as const);
    return Object.fromEntries(counts.filter(([, count]) => count > 0));
  }

  /** Why the operator does not know all objects of a kind: the namespace has too many, or one was never valid since the operator started. */
  #findMissing(excess: string | undefined): ReconcileContext['missing'] {
    const { invalid, objects } = this.#options;
    const missing = new Map<AddingKind, string>();
    for (const kind of addingKinds) {
      const lost = [...invalid()].filter((label) => label.startsWith(`${kind}/`) && !objects.has(label));
      if (excess !== undefined) missing.set(kind, `the namespace has more than ${excess}`);
      else if (lost.length > 0) missing.set(kind, `not valid: ${listUpTo(namedLost, lost.sort())}`);
    }
    return missing;
  }

  #isDeleted(label: string): boolean {
    const object = this.#options.objects.get(label)?.object;
    return object !== undefined && isDeleting(object);
  }

  #has(kind: string): boolean {
    for (const { object } of this.#options.objects.values()) if (object.kind === kind) return true;
    return false;
  }
}

/** The most invalid objects that a message names. */
const namedLost = 5;
const addingKinds: readonly AddingKind[] = ['DataSource', 'RoleMembership'];
/** The reasons that pass without a change of the Workspace. */
const passing: ReadonlySet<string> = new Set(['SecretNotFound', 'TokenUnavailable']);
