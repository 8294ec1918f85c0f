/** The controllers of all namespaces, as long as this process leads. */

import { once } from 'node:events';
import type { KindName } from '@rolecall/crds';
import type { Followed } from './follow.ts';
import { createUnseen } from './handover.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { NamespaceController } from './namespace-controller.ts';
import { type CustomObject, isDeleting, projectionOf } from './resources/custom-object.ts';
import { SecretsInformer } from './resources/secrets-informer.ts';
import { type CacheChange, keyOf } from './runtime/cache.ts';
import type { Clock } from './runtime/clock.ts';
import type { KubeObject } from './runtime/reflector.ts';
import type { RepeatedWarnings } from './runtime/repeated-warnings.ts';
import type { KubeSession } from './runtime/session.ts';
import { loggedMessage } from './status/outcomes.ts';
import { StatusWriter } from './status/status-writer.ts';
import type { AddressRules } from './workspace/allowed-addresses.ts';
import { ClientPool } from './workspace/client-pool.ts';
import type { Log, OperatorContext } from './workspace/context.ts';
import type { OperatorIdentity } from './workspace/identities.ts';

export interface ControllersOptions {
  readonly session: KubeSession;
  readonly clock: Clock;
  /** The time after which the workspaces are compared though nothing changed in the cluster, in milliseconds. */
  readonly driftMs: number;
  /** The most calls of a service in flight at a time. */
  readonly concurrency?: number;
  /** The time in which a service must begin to answer, in milliseconds. */
  readonly answerMs?: number;
  /** The time that calls and writes under way may still take once the operator is to end, in milliseconds. */
  readonly graceMs?: number;
  /** The addresses that Workspaces may name; default: all. */
  readonly addresses?: AddressRules | undefined;
  /** The identities that Workspaces without a Secret may use; default: none. */
  readonly identities?: readonly OperatorIdentity[] | undefined;
  readonly metrics?: OperatorMetrics | undefined;
  /** Takes each line of the log. */
  readonly log: Log;
}

interface Leading {
  readonly followed: Followed;
  /** The name of this process. */
  readonly identity: string;
  readonly warnings: RepeatedWarnings;
  /** Aborted as soon as this process is to end, or leads no more: from then on nothing is begun. */
  readonly signal: AbortSignal;
  /** Aborted as soon as this process leads no more. */
  readonly lost: AbortSignal;
}

/** Well below the 30 s that Kubernetes gives a pod, and the 10 s within which a leader has to renew its Lease. */
const defaultGraceMs = 5_000;

export class Controllers {
  /** Writes that the watches have not brought yet. */
  readonly unseen = createUnseen();
  readonly #options: ControllersOptions;
  readonly #leading: Leading;
  readonly #informer: SecretsInformer;
  readonly #clients: ClientPool;
  readonly #operator: OperatorContext;
  readonly #graceOver = new AbortController();
  /** By namespace. */
  readonly #controllers = new Map<string, NamespaceController>();

  /** Begins to handle what the caches have; what the list brings later, and the watches, comes by `onChange`. */
  constructor(options: ControllersOptions, leading: Leading) {
    const { session, clock, concurrency = 16, answerMs = 20_000, metrics, addresses, identities, log } = options;
    const { followed, identity, warnings, signal, lost } = leading;
    const cancelled = AbortSignal.any([lost, this.#graceOver.signal]);
    const onError = (error: Error): void => {
      warnings.warn(error.message);
    };
    this.#options = options;
    this.#leading = leading;
    this.#informer = new SecretsInformer({
      ...{ session, clock, signal, onError },
      onChange: (kind, namespace, name) => this.#controllers.get(namespace)?.sourceChanged(kind, name),
    });
    this.#clients = new ClientPool(this.#informer, {
      ...{ signal: cancelled, connections: concurrency, answerMs, clock, addresses, identities, onError },
    });
    metrics?.skews(() => this.#clients.clocks());
    const writer = new StatusWriter({
      ...{ session, signal, cancelled, identity, onError, now: clock.now },
      onWritten: (kind, answer) => this.#takeAnswer(kind, answer),
      onUnanswered: this.unseen.unanswered,
    });
    this.#operator = {
      ...{ clock, writer, informer: this.#informer, clients: this.#clients, signal, concurrency, metrics, log },
      listed: Promise.race([followed.listed, aborted(signal)]),
      excess: followed.excess,
    };
    for (const after of this.#workspacesFirst()) this.onChange({ key: keyOf(after), before: undefined, after });
  }

  /** Handles a change of a cache. */
  onChange(change: CacheChange<CustomObject>): void {
    const { before, after } = change;
    if (after === undefined) this.unseen.gone(before?.metadata.uid ?? '');
    if (this.#leading.signal.aborted) return;
    this.#controllerOf((after ?? before)?.metadata.namespace ?? '').onChange(change);
  }

  /** Runs until this process is to end, or leads no more, and nothing is in flight. */
  async run(): Promise<void> {
    const { clock, driftMs, graceMs = defaultGraceMs } = this.#options;
    await using _clients = this.#clients;
    const checkDrift = (): void => {
      this.#checkDrift();
      drift = clock.after(driftMs, checkDrift);
    };
    let drift = clock.after(driftMs, checkDrift);
    await aborted(this.#leading.signal);
    drift[Symbol.dispose]();
    const giveUp = (): void => {
      this.#graceOver.abort();
    };
    using _grace = clock.after(graceMs, giveUp);
    await Promise.all([...this.#controllers.values()].map(({ ended }) => ended));
    // A reading that nothing waits for must not hold up the end of its client.
    giveUp();
  }

  #checkDrift(): void {
    const { followed, warnings } = this.#leading;
    followed.listAgainWhereDue();
    for (const namespace of followed.crowdedNamespaces()) {
      const most = followed.excess(namespace) ?? 'it may have';
      warnings.warn(`${namespace}: the namespace has more than ${most}: the operator ignores the rest`);
    }
    for (const [namespace, controller] of this.#controllers) {
      this.#informer.keep(namespace, controller.sources());
      controller.checkDrift();
    }
  }

  #controllerOf(namespace: string): NamespaceController {
    const controller = this.#controllers.get(namespace);
    if (controller !== undefined) return controller;
    const { followed, warnings, signal } = this.#leading;
    const made = new NamespaceController({
      operator: this.#operator,
      random: Math.random,
      onFailure: (error, ms) => {
        if (signal.aborted) return;
        const { message, occasion } = loggedMessage(error);
        warnings.warn(`${namespace}: ${message}`, `${occasion}; tried again in ${Math.round(ms)} ms`);
      },
      current: (label) => {
        const [kind, name] = label.split('/');
        return followed.caches.get(kind as KindName)?.get(`${namespace}/${name ?? ''}`);
      },
    });
    this.#controllers.set(namespace, made);
    return made;
  }

  /** Takes the answer to a write into the cache, so that the next reconcile sees it before the watch tells. */
  #takeAnswer(kind: KindName, answer: KubeObject): CustomObject {
    const object = projectionOf(kind)(answer);
    const cache = this.#leading.followed.caches.get(kind);
    const { uid, finalizers } = object.metadata;
    if (!isDeleting(object) || finalizers !== undefined) cache?.wrote(object);
    // A deleted object without finalizers is gone with this answer; the watch may have told that before.
    else if (cache?.get(keyOf(object))?.metadata.uid === uid) {
      this.unseen.removed(uid);
      cache.letGo(object);
    }
    return object;
  }

  /** Objects find their Workspace at once if it comes before them. */
  *#workspacesFirst(): Generator<CustomObject> {
    const { caches } = this.#leading.followed;
    yield* caches.get('Workspace')?.values() ?? [];
    for (const [kind, cache] of caches) if (kind !== 'Workspace') yield* cache.values();
  }
}

async function aborted(signal: AbortSignal): Promise<void> {
  if (!signal.aborted) await once(signal, 'abort');
}
