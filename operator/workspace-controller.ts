/** Handles the events of one workspace: keeps what its objects declare, and has the workspace reconciled when that changes. */

import type { Definition } from '@rolecall/crds';
import { type CustomObject, isDeleting, isRequested, labelOf } from './resources/custom-object.ts';
import type { DeclaredObject } from './resources/parse.ts';
import type { DataKind } from './resources/secrets-informer.ts';
import { named } from './runtime/queue-observer.ts';
import { WorkQueue } from './runtime/work-queue.ts';
import { isReady } from './status/conditions.ts';
import { StatusManager } from './status/status-manager.ts';
import type { DeclaredObjects, OperatorContext, WorkspaceObject } from './workspace/context.ts';
import { recheckMs, retries, WorkLoop } from './workspace/work-loop.ts';
import { WorkspaceReconciler } from './workspace/workspace-reconciler.ts';

/** The context that all controllers of a namespace share. */
export interface NamespaceOptions {
  readonly operator: OperatorContext;
  readonly random: () => number;
  /** Called for each error, with the time after which it is tried again. */
  readonly onFailure: (error: Error, retryInMs: number) => void;
  /** The object as it is known now, by its label. */
  readonly current: (label: string) => CustomObject | undefined;
}

export interface WorkspaceControllerOptions extends NamespaceOptions {
  /** True if there are objects without a Workspace that may belong to this one. */
  readonly hasUnassigned: () => boolean;
  /** Called once the deletion of an object that is gone already is finished. @param why what it declared stays, if it does */
  readonly onReleased: (label: string, why?: string) => void;
}

export class WorkspaceController {
  readonly #objects: DeclaredObjects = new Map();
  readonly #queue: WorkQueue;
  readonly #status: StatusManager;
  readonly #reconciler: WorkspaceReconciler;
  readonly #label: string;
  readonly #end = new AbortController();
  readonly #isOver: AbortSignal;
  readonly #loop: WorkLoop;
  /** Resolves once nothing is in flight any more. */
  readonly ended: Promise<void>;
  #workspace: WorkspaceObject;
  #invalid: ReadonlySet<string> = new Set();

  constructor(workspace: WorkspaceObject, options: WorkspaceControllerOptions) {
    const { operator, random, onFailure, current } = options;
    const { clock, writer, signal, metrics } = operator;
    this.#workspace = workspace;
    this.#isOver = AbortSignal.any([signal, this.#end.signal]);
    this.#label = labelOf(workspace.object);
    const { namespace, name } = workspace.object.metadata;
    const time = operator.clients.clockOf(`${namespace}/${name}`);
    const observer = metrics && named(`${namespace}/${this.#label} `, metrics.queue);
    this.#queue = new WorkQueue({ clock, random, observer, signal: this.#isOver, ...retries });
    this.#status = new StatusManager({
      ...{ writer, signal, current, onFailure, objects: this.#objects, queue: this.#queue, clock: time },
      workspace: () => this.#workspace.definition,
      onReleased: options.onReleased,
      onForbidden: () => {
        this.#queue.add(this.#label);
      },
      onRecovered: () => {
        if (this.#status.hasWaiting) this.#queue.addAfter(this.#label, recheckMs);
      },
    });
    time.onChange = () => {
      this.#status.timeChanged();
    };
    this.#reconciler = new WorkspaceReconciler({
      ...{ operator, objects: this.#objects, queue: this.#queue, status: this.#status, clock: time },
      workspace: () => this.#workspace,
      invalid: () => this.#invalid,
      hasUnassigned: options.hasUnassigned,
      isOver: this.#isOver,
    });
    this.#loop = new WorkLoop({
      ...{ operator, random, onFailure, queue: this.#queue, status: this.#status },
      reconciler: this.#reconciler,
      workspace: () => this.#workspace,
      isOver: this.#isOver,
    });
    this.ended = this.#run();
    this.#queue.add(this.#label);
  }

  get workspace(): WorkspaceObject {
    return this.#workspace;
  }

  /** Takes the Workspace as it is now. */
  update(next: WorkspaceObject): void {
    const lastWorkspace = this.#workspace;
    this.#workspace = next;
    if (isRequested(next.object)) this.#reconciler.view.expire();
    const isSame =
      next.definition === lastWorkspace.definition && isDeleting(next.object) === isDeleting(lastWorkspace.object);
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
    this.#loop.requirePlan(label);
  }

  remove(label: string): void {
    this.#objects.delete(label);
    this.#status.forget(label);
    this.#reconciler.refused.remove(label);
    this.#reconciler.sourceChanged.delete(label);
    this.#loop.requirePlan(this.#label);
  }

  /** A Secret or ConfigMap changed: what takes something from it is reconciled. */
  sourceChanged(kind: DataKind, name: string): void {
    for (const [label, { definition }] of this.#objects) {
      const source = sourceOf(definition);
      if (source?.kind !== kind || source.name !== name) continue;
      this.#status.unsettle([label]);
      this.#reconciler.refused.forget(label);
      this.#reconciler.sourceChanged.set(label, Symbol(name));
      this.#loop.requirePlan(label);
    }
    const source = sourceOf(this.#workspace.definition);
    if (source?.kind === kind && source.name === name) this.#reconcileAll();
  }

  /** The Secrets and ConfigMaps that the Workspace and its objects read. */
  *sources(): Generator<Source> {
    const definitions = [this.#workspace, ...this.#objects.values()].map(({ definition }) => definition);
    for (const source of definitions.map(sourceOf)) if (source !== undefined) yield source;
  }

  /** Reads the workspace again, and compares everything with it if it changed. */
  checkDrift(): void {
    this.#reconciler.view.checkDrift();
    this.#queue.add(this.#label);
    for (const [label, { object }] of this.#objects) {
      // A status may have been changed by hand too.
      if (isReady(object) && !this.#status.unsettled.has(label)) continue;
      this.#loop.requirePlan(label);
    }
    this.#loop.retry();
  }

  /** Takes the labels of objects in the namespace that are not valid and may belong to this workspace. */
  setInvalid(labels: ReadonlySet<string>): void {
    this.#invalid = labels;
    this.#loop.requirePlan(this.#label);
  }

  /** Ends this controller: what is in flight is finished. */
  end(): void {
    this.#end.abort();
  }

  async #run(): Promise<void> {
    void this.#reconciler.prefetch();
    await this.#loop.run();
    this.#status[Symbol.dispose]();
  }

  #reconcileAll(): void {
    this.#loop.requirePlan(this.#label);
    for (const label of this.#objects.keys()) this.#queue.add(label);
    this.#loop.retry();
  }
}

interface Source {
  readonly kind: DataKind;
  readonly name: string;
}

function sourceOf(definition: Definition): Source | undefined {
  switch (definition.kind) {
    case 'Workspace':
      return sourceNamed('secrets', definition.spec.credentialsFrom?.secretKeyRef?.name);
    case 'DataSource':
      return sourceNamed('secrets', definition.spec.passwordFrom?.secretKeyRef?.name);
    case 'Snippet':
      return sourceNamed('configmaps', definition.spec.textFrom?.configMapKeyRef?.name);
    default:
      return undefined;
  }
}

const sourceNamed = (kind: DataKind, name: string | undefined): Source | undefined =>
  name === undefined ? undefined : { kind, name };
