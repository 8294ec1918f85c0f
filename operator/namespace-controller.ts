/** Assigns the objects of one namespace to its Workspaces, and reports those that belong to none. */

import { createWorkspaceIndex, type Definition } from '@rolecall/crds';
import { type CustomObject, hasFinalizer, isDeleting, isObserved, labelOf } from './resources/custom-object.ts';
import { carryParsed, carryReadable, type DeclaredObject, lastReadable, parseObject } from './resources/parse.ts';
import { type CacheChange, keyOf } from './runtime/cache.ts';
import { StatusError } from './runtime/errors.ts';
import { WorkQueue } from './runtime/work-queue.ts';
import { runWorkers } from './runtime/workers.ts';
import { type Outcome, statusOf } from './status/conditions.ts';
import { invalid, isUnassigned, releaseAnnotation, stalled, waiting, withReleaseHint } from './status/outcomes.ts';
import { type NamespaceOptions, WorkspaceController } from './workspace-controller.ts';

const retries = { baseMs: 500, maxMs: 10_000 };

/** The place of an object: a Workspace (its label), or none, with what its status says then. */
type Assignment =
  | { readonly workspace: string; readonly declared: DeclaredObject }
  | { readonly outcome: Outcome }
  | 'released'
  | undefined;

export class NamespaceController {
  readonly #options: NamespaceOptions;
  readonly #controllers = new Map<string, WorkspaceController>();
  /** Over the Workspaces of the controllers; undefined once one came, changed or went. */
  #index: ReturnType<typeof createWorkspaceIndex> | undefined;
  readonly #ended = new Set<Promise<void>>();
  readonly #objects = new Map<string, CustomObject>();
  /** The label of the Workspace that each object is assigned to. */
  readonly #assigned = new Map<string, string>();
  /** Objects that are gone while what they declared is still being removed, and what came under the name of each since, which waits. */
  readonly #leaving = new Map<string, CustomObject | undefined>();
  /** Objects that are not valid. */
  readonly #invalid = new Set<string>();
  /** Workspaces that are not valid: the objects that may belong to them are assigned to no other meanwhile. */
  readonly #invalidWorkspaces = new Set<string>();
  /** Objects without a Workspace whose status is to be written. */
  readonly #queue: WorkQueue;
  readonly #working: Promise<void>;

  constructor(options: NamespaceOptions) {
    const { operator, random, onFailure } = options;
    const { clock, signal } = operator;
    this.#options = options;
    this.#queue = new WorkQueue({ clock, random, signal, ...retries });
    this.#working = runWorkers({
      queue: this.#queue,
      count: 4,
      work: async (label) => {
        await operator.listed;
        await this.#report(label);
      },
      onFailure: (_label, error, retryInMs) => {
        if (!signal.aborted) onFailure(error, retryInMs);
      },
      atLeast: (error) => (error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0),
    });
  }

  /** Resolves once nothing is in flight any more, after the signal was aborted. */
  get ended(): Promise<unknown> {
    const running = [...this.#controllers.values()].map(({ ended }) => ended);
    return Promise.all([this.#working, ...running, ...this.#ended]);
  }

  /** Handles an event: an object came, changed or went. */
  onChange({ before, after, isDeleted }: CacheChange<CustomObject>): void {
    const object = after ?? before;
    if (object === undefined) return;
    const label = labelOf(object);
    if (this.#leaving.has(label)) {
      this.#leaving.set(label, after);
      return;
    }
    if (isDeleted === true && hasFinalizer(object) && !isDeleting(object) && this.#assigned.has(label)) {
      this.#finishDeletion(object);
      return;
    }
    const isChanged = isOther(before, after);
    if (before !== undefined && after !== undefined) {
      if (!isChanged) carryParsed(before, after);
      carryReadable(before, after);
    }
    if (object.kind === 'Workspace') this.#onWorkspace(after, label);
    else if (after === undefined) this.#remove(label);
    else {
      this.#objects.set(label, after);
      this.#assign(after, isChanged);
    }
  }

  sourceChanged(kind: 'secrets' | 'configmaps', name: string): void {
    for (const controller of this.#controllers.values()) controller.sourceChanged(kind, name);
  }

  /** Names of the Secrets and ConfigMaps that objects here name: `secrets/billing-db`. */
  sources(): ReadonlySet<string> {
    const names = new Set<string>();
    for (const controller of this.#controllers.values())
      for (const { kind, name } of controller.sources()) names.add(`${kind}/${name}`);
    return names;
  }

  checkDrift(): void {
    for (const controller of this.#controllers.values()) controller.checkDrift();
  }

  #onWorkspace(object: CustomObject | undefined, label: string): void {
    this.#index = undefined;
    const lastController = this.#controllers.get(label);
    const parsed = object && parseObject(object);
    const isReleased = object !== undefined && this.#assignmentOf(object) === 'released';
    if (object !== undefined && parsed !== undefined && 'definition' in parsed && !isReleased) {
      if (parsed.definition.kind !== 'Workspace') return;
      const workspace = { object, definition: parsed.definition };
      this.#invalidWorkspaces.delete(label);
      if (lastController?.workspace.object.metadata.uid === object.metadata.uid) {
        lastController.update(workspace);
        return;
      }
      this.#end(lastController);
      const controller = new WorkspaceController(workspace, {
        ...this.#options,
        hasUnassigned: () => this.#hasUnassigned(),
        onReleased: (released, why) => {
          this.#release(released, why);
        },
      });
      controller.setInvalid(this.#invalid);
      this.#controllers.set(label, controller);
    } else {
      this.#controllers.delete(label);
      this.#end(lastController);
      if (object === undefined || isReleased) this.#invalidWorkspaces.delete(label);
      else this.#invalidWorkspaces.add(label);
      if (object !== undefined) this.#queue.add(label);
    }
    // What ended just now may have asked for it.
    this.#index = undefined;
    // Each object is assigned again, and a new Workspace has none yet.
    for (const [name, object] of this.#objects) {
      if (this.#assigned.get(name) === label) this.#assigned.delete(name);
      this.#assign(object, true);
    }
  }

  /** Ends a controller, and frees what its Workspace had once nothing of it is in flight any more. */
  #end(controller: WorkspaceController | undefined): void {
    if (controller === undefined) return;
    controller.end();
    const { namespace, name } = controller.workspace.object.metadata;
    const ended = controller.ended.then(() => {
      this.#ended.delete(ended);
      if (!this.#controllers.has(labelOf(controller.workspace.object)))
        return this.#options.operator.clients.forget(`${namespace}/${name}`);
      return undefined;
    });
    this.#ended.add(ended);
  }

  #assign(object: CustomObject, isChanged: boolean): void {
    const label = labelOf(object);
    const assignment = this.#assignmentOf(object);
    const { workspace, declared } = typeof assignment === 'object' && 'workspace' in assignment ? assignment : {};
    const lastWorkspace = this.#assigned.get(label);
    if (lastWorkspace !== undefined && lastWorkspace !== workspace) this.#controllers.get(lastWorkspace)?.remove(label);
    this.#setInvalid(label, 'problem' in parseObject(object) && assignment !== 'released');
    if (workspace === undefined || declared === undefined) {
      this.#assigned.delete(label);
      if (this.#leaving.has(label)) {
        this.#release(label, 'its Workspace is gone.');
        return;
      }
      if (assignment !== undefined && isChanged) this.#queue.add(label);
      return;
    }
    this.#assigned.set(label, workspace);
    this.#controllers.get(workspace)?.put(declared, isChanged || lastWorkspace !== workspace);
  }

  /**
   * Has what an object declared removed although the object is gone: the API server deletes an object at once, finalizer and all, if the
   * finalizer is put on it while the API server is deleting it.
   */
  #finishDeletion(object: CustomObject): void {
    const label = labelOf(object);
    const deletionTimestamp = new Date(this.#options.operator.clock.now()).toISOString();
    const deleted = { ...object, metadata: { ...object.metadata, deletionTimestamp } };
    carryParsed(object, deleted);
    carryReadable(object, deleted);
    this.#leaving.set(label, undefined);
    this.#objects.set(label, deleted);
    this.#assign(deleted, true);
  }

  /** Lets an object go whose deletion was finished, and takes the next one of its name. @param why it stays in the workspace, if it does */
  #release(label: string, why?: string): void {
    const next = this.#leaving.get(label);
    const { log } = this.#options.operator;
    if (why !== undefined) log('warn', `${label} was deleted, and what it declared stays in the workspace: ${why}`);
    this.#leaving.delete(label);
    this.#remove(label);
    if (next !== undefined) this.onChange({ key: keyOf(next), before: undefined, after: next });
  }

  #remove(label: string): void {
    this.#objects.delete(label);
    this.#setInvalid(label, false);
    const workspace = this.#assigned.get(label);
    this.#assigned.delete(label);
    if (workspace !== undefined) {
      this.#controllers.get(workspace)?.remove(label);
      return;
    }
    // A Workspace that is being deleted may have waited for it, since it might have been its own.
    for (const controller of this.#controllers.values()) {
      if (isDeleting(controller.workspace.object)) controller.checkDrift();
    }
  }

  #setInvalid(label: string, isInvalid: boolean): void {
    if (this.#invalid.has(label) === isInvalid) return;
    if (isInvalid) this.#invalid.add(label);
    else this.#invalid.delete(label);
    for (const controller of this.#controllers.values()) controller.setInvalid(this.#invalid);
  }

  #assignmentOf(object: CustomObject): Assignment {
    if (isDeleting(object) && object.metadata.annotations?.[releaseAnnotation] === 'true') return 'released';
    const parsed = parseObject(object);
    const definition = lastReadable(object);
    const problem = 'problem' in parsed ? parsed.problem : undefined;
    const wrong = problem === undefined ? undefined : { outcome: invalid(problem) };
    if (definition === undefined || definition.kind === 'Workspace') return wrong;
    this.#index ??= createWorkspaceIndex(
      this.#controllers.values().map((controller) => controller.workspace.definition),
    );
    const owner = this.#index.workspaceOf(definition);
    const { workspaceRef } = definition.spec;
    if (owner !== undefined && (workspaceRef !== undefined || this.#invalidWorkspaces.size === 0))
      return { workspace: `Workspace/${owner.metadata.name}`, declared: { object, definition, problem } };
    if (wrong !== undefined) return wrong;
    if (isDeleting(object) && !hasFinalizer(object)) return undefined;
    const isCandidate = (label: string): boolean => workspaceRef === undefined || label === `Workspace/${workspaceRef}`;
    const candidate = [...this.#invalidWorkspaces].find(isCandidate);
    if (candidate !== undefined) return { outcome: workspaceInvalid(candidate) };
    return { outcome: unassigned(object, workspaceRef, this.#controllers.size) };
  }

  /** True if objects that name no Workspace, and have something in one, now have none: any may be theirs. */
  #hasUnassigned(): boolean {
    return [...this.#objects].some(([label, object]) => {
      const parsed = parseObject(object);
      const isUnnamed = 'definition' in parsed && workspaceRefOf(parsed.definition) === undefined;
      return isUnnamed && !this.#assigned.has(label) && hasFinalizer(object);
    });
  }

  /** Writes the status of an object without a Workspace, or lets it go. */
  async #report(label: string): Promise<void> {
    const { operator, current } = this.#options;
    const object = current(label);
    if (object === undefined || operator.signal.aborted) return;
    const assignment = this.#assignmentOf(object);
    if (assignment === 'released') await operator.writer.removeFinalizer(object);
    else if (assignment !== undefined && 'outcome' in assignment) {
      const { outcome } = assignment;
      // A Workspace that is invalid for a while is no reason to overwrite what the status says.
      if (outcome.reason === 'WorkspaceNotReady' && hasReport(object)) return;
      await operator.writer.writeStatus(object, statusOf(object, outcome, operator.clock.now()));
    }
  }
}

/** True if what an object declares changed, and not only its status. */
function isOther(before: CustomObject | undefined, after: CustomObject | undefined): boolean {
  if (before === undefined || after === undefined) return true;
  const [a, b] = [before.metadata, after.metadata];
  return (
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    JSON.stringify(a.annotations) !== JSON.stringify(b.annotations) ||
    JSON.stringify(a.labels) !== JSON.stringify(b.labels)
  );
}

const workspaceRefOf = (definition: Definition): string | undefined =>
  definition.kind === 'Workspace' ? undefined : definition.spec.workspaceRef;

const hasReport = (object: CustomObject): boolean => isObserved(object) && !isUnassigned(object) && !isDeleting(object);

function workspaceInvalid(workspace: string): Outcome {
  return waiting(
    'WorkspaceNotReady',
    `${workspace} is not valid; its status says why. This object continues once the Workspace is corrected.`,
  );
}

function unassigned(object: CustomObject, workspaceRef: string | undefined, count: number): Outcome {
  if (workspaceRef !== undefined || count === 0) {
    const which =
      workspaceRef === undefined ? 'There is no Workspace' : `spec.workspaceRef: there is no Workspace ${workspaceRef}`;
    return waiting('WorkspaceNotFound', withReleaseHint(object, `${which} in this namespace.`));
  }
  const remedy = hasFinalizer(object)
    ? 'It belongs to the first one: delete the Workspace that was added, or move that to its own namespace.'
    : 'Delete this object, and create it again with spec.workspaceRef, which names the right one.';
  const message = `There are ${count} Workspaces in this namespace. ${remedy}`;
  return stalled('WorkspaceAmbiguous', withReleaseHint(object, message));
}
