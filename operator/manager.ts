/** The operator: watches the custom resources, and while it leads, hands each change to the controller of its namespace. */

import { hostname } from 'node:os';
import type { KindName } from '@rolecall/crds';
import { type Changed, type Followed, type FollowOptions, follow } from './follow.ts';
import { areSynced, type Caches, catchUp, createUnseen, handOver, type Unseen } from './handover.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { NamespaceController } from './namespace-controller.ts';
import { type CustomObject, isDeleting, projectionOf } from './resources/custom-object.ts';
import { SecretsInformer } from './resources/secrets-informer.ts';
import { keyOf } from './runtime/cache.ts';
import { becomeLeader, type LeadBy } from './runtime/leader-election.ts';
import type { KubeObject } from './runtime/reflector.ts';
import { RepeatedWarnings } from './runtime/repeated-warnings.ts';
import { StatusWriter } from './status/status-writer.ts';
import type { AddressRules } from './workspace/allowed-addresses.ts';
import { ClientPool } from './workspace/client-pool.ts';
import type { Log, OperatorContext } from './workspace/context.ts';

export interface OperatorOptions extends FollowOptions {
  /** Where the Lease is; absent: without leader election, for an operator that runs alone. */
  readonly lease?: LeadBy | undefined;
  /** How often the workspaces are compared though nothing changed in the cluster, in milliseconds. */
  readonly driftMs: number;
  /** How many calls of a service are in flight at a time. */
  readonly concurrency?: number;
  /** How long a service may take until it begins to answer, in milliseconds. */
  readonly answerMs?: number;
  /** Which addresses Workspaces may name; default: all. */
  readonly addresses?: AddressRules | undefined;
  readonly metrics?: OperatorMetrics | undefined;
  /** Takes each line of the log. */
  readonly log: Log;
}

/**
 * Runs until the signal is aborted.
 *
 * @returns why it ended: the signal, or another process leads now, after which this process has to be started again
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<'stopped' | 'lost'> {
  const { session, clock, lease, log, metrics } = options;
  const identity = `${hostname()}_${crypto.randomUUID()}`;
  const reading = new AbortController();
  const either = AbortSignal.any([signal, reading.signal]);
  const warnings = new RepeatedWarnings(clock, (message) => {
    log('warn', message);
  });
  const onError = (error: Error): void => {
    warnings.warn(error.message);
  };
  let changed: Changed = () => undefined;
  const followAll = (until: AbortSignal): Followed => {
    const all = follow(
      options,
      (change) => {
        changed(change);
      },
      onError,
      until,
    );
    metrics?.objects(new Map([...all.caches].map(([kind, cache]) => [kind, () => cache.values()])), () =>
      areSynced(all.caches),
    );
    return all;
  };
  let standby = new AbortController();
  let followed = followAll(AbortSignal.any([either, standby.signal]));
  const followAnew = (): void => {
    standby.abort();
    standby = new AbortController();
    followed = followAll(AbortSignal.any([either, standby.signal]));
  };
  try {
    if (lease !== undefined) metrics?.leads(lease.name, false);
    const asked = clock.elapsed();
    const leadership =
      lease === undefined
        ? undefined
        : await becomeLeader(
            { session, clock, random: Math.random, identity, onError, onSilence: followAnew, ...lease },
            signal,
          );
    if (lease !== undefined && leadership === undefined) return 'stopped';
    if (lease !== undefined) metrics?.leads(lease.name, true);
    if (leadership !== undefined) log('info', `this process leads, as ${identity}`);
    const leading = leadership === undefined ? signal : AbortSignal.any([signal, leadership.signal]);
    // Another process wrote meanwhile.
    const hasWaited = clock.elapsed() - asked >= waitedMs && leadership?.isAfterSilence !== true;
    if (hasWaited && !(await catchUp(followed.caches, leadership?.handover, clock, leading))) followAnew();
    // Nothing may be concluded from what is missing before everything has been listed.
    await Promise.race([Promise.all([...followed.caches.values()].map(({ synced }) => synced)), aborted(leading)]);
    const unseen = await lead({ ...options, warnings }, followed, identity, leading, (tell) => {
      changed = tell;
    });
    if (lease !== undefined) metrics?.leads(lease.name, false);
    if (!signal.aborted && leadership !== undefined) {
      const { reason } = leadership.signal as { reason: unknown };
      log('warn', `this process leads no more: ${reason instanceof Error ? reason.message : String(reason)}`);
    }
    await leadership?.release(handOver(followed.caches, unseen)).catch(onError);
    return signal.aborted ? 'stopped' : 'lost';
  } finally {
    reading.abort();
  }
}

/** A process that leads after so long had another leader before it. */
const waitedMs = 500;

/** Runs the controllers, as long as this process leads. */
async function lead(
  options: OperatorOptions & { readonly warnings: RepeatedWarnings },
  { caches, excess, over, listAgainWhereDue }: Followed,
  identity: string,
  leading: AbortSignal,
  onChanges: (handle: Changed) => void,
): Promise<Unseen> {
  const { session, clock, log, driftMs, concurrency = 16, answerMs = 20_000, metrics, warnings, addresses } = options;
  const onError = (error: Error): void => {
    warnings.warn(error.message);
  };
  const unseen = createUnseen();
  const controllers = new Map<string, NamespaceController>();
  const informer = new SecretsInformer({
    ...{ session, clock, signal: leading, onError },
    onChange: (kind, namespace, name) => controllers.get(namespace)?.sourceChanged(kind, name),
  });
  await using clients = new ClientPool(informer, {
    ...{ signal: leading, connections: concurrency, answerMs, clock, addresses },
  });
  metrics?.skews(() => clients.clocks());
  const writer = new StatusWriter({
    ...{ session, signal: leading, identity, onError, now: clock.now },
    onWritten: (kind, answer) => takeAnswer(kind, answer, caches, unseen),
    onUnanswered: unseen.unanswered,
  });
  const operator: OperatorContext = {
    ...{ clock, writer, informer, clients, signal: leading, concurrency, metrics, log, excess },
  };

  function controllerOf(namespace: string): NamespaceController {
    const known = controllers.get(namespace);
    if (known !== undefined) return known;
    const made = new NamespaceController({
      operator,
      random: Math.random,
      onFailure: (error, ms) => {
        if (!leading.aborted) warnings.warn(`${namespace}: ${error.message}`, `; tried again in ${Math.round(ms)} ms`);
      },
      current: (label) => {
        const [kind, name] = label.split('/');
        return caches.get(kind as KindName)?.get(`${namespace}/${name ?? ''}`);
      },
    });
    controllers.set(namespace, made);
    return made;
  }

  const checkDrift = (): void => {
    listAgainWhereDue();
    for (const namespace of over())
      warnings.warn(
        `${namespace}: the namespace has more than ${excess(namespace) ?? 'it may have'}: the rest is left out`,
      );
    for (const [namespace, controller] of controllers) {
      informer.keep(namespace, controller.sources());
      controller.checkDrift();
    }
    drift = clock.after(driftMs, checkDrift);
  };
  let drift = clock.after(driftMs, checkDrift);
  for (const object of workspacesFirst(caches)) {
    const change = { key: keyOf(object), before: undefined, after: object };
    controllerOf(object.metadata.namespace).onChange(change);
  }
  onChanges((change) => {
    if (change.after === undefined) unseen.gone(change.before?.metadata.uid ?? '');
    controllerOf((change.after ?? change.before)?.metadata.namespace ?? '').onChange(change);
  });
  await aborted(leading);
  onChanges(() => undefined);
  drift[Symbol.dispose]();
  await Promise.all([...controllers.values()].map(({ ended }) => ended));
  return unseen;
}

/** Takes the answer to a write into the cache, so that the next reconcile sees it before the watch tells. */
function takeAnswer(kind: KindName, answer: KubeObject, caches: Caches, unseen: Unseen): CustomObject {
  const object = projectionOf(kind)(answer);
  const cache = caches.get(kind);
  const { uid, finalizers } = object.metadata;
  if (!isDeleting(object) || finalizers !== undefined) cache?.wrote(object);
  // A deleted object without finalizers is gone with this answer; the watch may have told that before.
  else if (cache?.get(keyOf(object))?.metadata.uid === uid) unseen.removed(uid);
  return object;
}

/** Objects find their Workspace at once if it comes before them. */
function* workspacesFirst(caches: Caches): Generator<CustomObject> {
  yield* caches.get('Workspace')?.values() ?? [];
  for (const [kind, cache] of caches) if (kind !== 'Workspace') yield* cache.values();
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => {
    signal.addEventListener(
      'abort',
      () => {
        resolve();
      },
      { once: true },
    );
  });
}
