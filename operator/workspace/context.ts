/** The context of the controllers, and that of one reconcile of a workspace. */

import type { DefinitionOf } from '@rolecall/crds';
import type { View } from '@rolecall/reconcile';
import type { OperatorMetrics } from '../metrics/operator-metrics.ts';
import type { CustomObject } from '../resources/custom-object.ts';
import type { DeclaredObject } from '../resources/parse.ts';
import type { SecretsInformer } from '../resources/secrets-informer.ts';
import type { Clock } from '../runtime/clock.ts';
import type { StatusManager } from '../status/status-manager.ts';
import type { StatusWriter } from '../status/status-writer.ts';
import type { ClientPool, Connected } from './client-pool.ts';
import type { RefusedObjects } from './refused-objects.ts';

/** The object of a log line, for programs. */
export interface About {
  readonly namespace: string;
  readonly kind: string;
  readonly name: string;
  /** The operation of the service. */
  readonly operation?: string;
  /** The change, in words. */
  readonly summary?: string;
  /** Why. */
  readonly reason?: string;
}

/** @param about what an entry is about, where it is about one object; the message says it too */
export type Log = (level: 'info' | 'warn', message: string, about?: About) => void;

/** The context that all controllers of one process share. */
export interface OperatorContext {
  readonly clock: Clock;
  readonly writer: StatusWriter;
  readonly informer: SecretsInformer;
  readonly clients: ClientPool;
  readonly signal: AbortSignal;
  /** Resolves once all kinds have been listed, or the signal is aborted: until then nothing may be concluded from what is missing. */
  readonly listed: Promise<unknown>;
  /** The most calls of a service in flight at a time. */
  readonly concurrency: number;
  readonly metrics?: Pick<OperatorMetrics, 'queue' | 'timed' | 'corrected' | 'removed'> | undefined;
  readonly log: Log;
  /** The limit that a namespace exceeds, in words. Beyond it, the operator does not know some objects of the namespace. */
  readonly excess: (namespace: string) => string | undefined;
}

/** A Workspace as it was parsed. */
export interface WorkspaceObject {
  readonly object: CustomObject;
  readonly definition: DefinitionOf<'Workspace'>;
}

/** The objects of one Workspace, by label (`Person/ada`). */
export type DeclaredObjects = Map<string, DeclaredObject>;

/** The kinds that add data sources to roles without being named by them: by their labels, and by naming the role. */
export type AddingKind = 'DataSource' | 'RoleMembership';

/** The context of one reconcile. */
export interface ReconcileContext {
  readonly operator: OperatorContext;
  readonly workspace: WorkspaceObject;
  /** As they are now: an object may come, change or go during a reconcile. */
  readonly objects: DeclaredObjects;
  /** Kinds whose objects could not all be read, and why: what they add to roles is unknown. */
  readonly missing: ReadonlyMap<AddingKind, string>;
  readonly view: View;
  readonly connected: Extract<Connected, { client: unknown }>;
  /** The time by which permissions begin and end. */
  readonly clock: Pick<Clock, 'now'>;
  readonly status: StatusManager;
  readonly refused: RefusedObjects;
  /** Ids of permissions that a run granted for its own time and has not ended. */
  readonly bridges: Set<string>;
  /** Objects whose Secret or ConfigMap changed since they last converged: what differs then is no drift. Each change has its own symbol. */
  readonly sourceChanged: Map<string, symbol>;
  /** Has the workspace read again before the next reconcile: what was done may not be what was meant. */
  readonly expireView: () => void;
}
