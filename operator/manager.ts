/** The operator: follows the custom resources, and looks at a namespace whenever something in it changed. */

import { hostname } from 'node:os';
import type { KindName } from '@rolecall/crds';
import { areSynced, type Caches, catchUp, createUnseen, handOver, type Unseen } from './handover.ts';
import type { OperatorMetrics } from './metrics/operator-metrics.ts';
import { type Namespace, startNamespace } from './namespace-controller.ts';
import {
  allKinds,
  type CustomObject,
  isLeaving,
  isObserved,
  kindPath,
  projectionOf,
} from './resources/custom-object.ts';
import { createNamedObjects } from './resources/secrets-informer.ts';
import { type CacheChange, createCache, keyOf } from './runtime/cache.ts';
import type { Clock } from './runtime/clock.ts';
import { becomeLeader, type LeadBy } from './runtime/leader-election.ts';
import { type KubeObject, runReflector } from './runtime/reflector.ts';
import type { KubeSession } from './runtime/session.ts';
import { createLimiter } from './status/limiter.ts';
import { createWriter } from './status/status-writer.ts';
import { createConnections } from './workspace/client-pool.ts';
import type { Log } from './workspace/log.ts';
import { partSize } from './workspace-controller.ts';

export interface OperatorOptions {
  readonly session: KubeSession;
  readonly clock: Clock;
  /** Follows one namespace only; absent: all of them. */
  readonly namespace?: string | undefined;
  /** Where the Lease is; absent: without leader election, for one who knows to be alone. */
  readonly lease?: LeadBy | undefined;
  /** How often the workspaces are looked at again though nothing changed here, in milliseconds. */
  readonly driftMs: number;
  /** How many calls of a service are under way at a time. */
  readonly concurrency?: number;
  /** How long a service may take until it begins to answer, in milliseconds. */
  readonly answerMs?: number;
  readonly metrics?: OperatorMetrics | undefined;
  /** Takes what is worth a line; what is about one object comes with what it is about. */
  readonly log: Log;
}

/** How much is written to the API server at a time. It lets a client have a hundred requests under way, watches among them. */
const writesAtATime = 48;

const firstToLast: readonly KindName[] = ['DataSource', 'Person', 'Role', 'RoleMembership', 'Permission', 'Snippet'];

type Changed = (change: CacheChange<CustomObject>) => void;

/**
 * Runs until the signal is aborted.
 *
 * @returns why it ended: it was told to, or another process leads now, after which this one has to start anew
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<'stopped' | 'lost'> {
  const { session, clock, lease, log, metrics } = options;
  const identity = `${hostname()}_${crypto.randomUUID()}`;
  const reading = new AbortController();
  const either = AbortSignal.any([signal, reading.signal]);
  const onError = (error: Error): void => {
    log('warn', error.message);
  };
  let changed: Changed = () => undefined;
  const followAll = (until: AbortSignal): Caches => {
    const all = follow(
      options,
      (change) => {
        changed(change);
      },
      onError,
      until,
    );
    metrics?.objects(new Map([...all].map(([kind, cache]) => [kind, () => cache.values()])), () => areSynced(all));
    return all;
  };
  let standby = new AbortController();
  let caches = followAll(AbortSignal.any([either, standby.signal]));
  const followAnew = (): void => {
    standby.abort();
    standby = new AbortController();
    caches = followAll(AbortSignal.any([either, standby.signal]));
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
    // Another one wrote meanwhile.
    const hasWaited = clock.elapsed() - asked >= waitedMs && leadership?.isAfterSilence !== true;
    if (hasWaited && !(await catchUp(caches, leadership?.handover, clock, leading))) followAnew();
    // Nothing may be concluded from what is missing before everything has been listed.
    await Promise.race([Promise.all([...caches.values()].map(({ synced }) => synced)), aborted(leading)]);
    const unseen = await lead(options, caches, identity, leading, (tell) => {
      changed = tell;
    });
    if (lease !== undefined) metrics?.leads(lease.name, false);
    if (!signal.aborted && leadership !== undefined) {
      const { reason } = leadership.signal as { reason: unknown };
      log('warn', `this process leads no more: ${reason instanceof Error ? reason.message : String(reason)}`);
    }
    await leadership?.release(handOver(caches, unseen)).catch(onError);
    return signal.aborted ? 'stopped' : 'lost';
  } finally {
    reading.abort();
  }
}

/** Who leads after so long was not the first to. */
const waitedMs = 500;

/** Follows every kind. Who waits to lead does so as well, and is ready at once. */
function follow(
  { session, clock, namespace, metrics }: OperatorOptions,
  changed: Changed,
  onError: (error: Error) => void,
  signal: AbortSignal,
): Caches {
  return new Map(
    allKinds.map((kind) => {
      const cache = createCache<CustomObject>((change) => {
        metrics?.changed(change);
        changed(change);
      });
      const path = kindPath(kind, namespace);
      void runReflector(
        { session, path, project: projectionOf(kind), sink: cache, clock, random: Math.random, onError },
        signal,
      );
      return [kind, cache];
    }),
  );
}

/** Does the work, as long as this process leads. */
async function lead(
  options: OperatorOptions,
  caches: Caches,
  identity: string,
  leading: AbortSignal,
  onChanges: (tell: Changed) => void,
): Promise<Unseen> {
  const { session, clock, log, driftMs, concurrency = 16, answerMs = 20_000, metrics } = options;
  metrics?.workers(partSize);
  const onError = (error: Error): void => {
    log('warn', error.message);
  };
  const namespaces = new Map<string, Namespace>();
  const named = createNamedObjects({
    session,
    clock,
    signal: leading,
    onChange: (kind, namespace, name) => namespaces.get(namespace)?.sourceChanged(kind, name),
    onError,
  });
  const unseen = createUnseen();
  await using connections = createConnections(named, { signal: leading, connections: concurrency, answerMs, clock });
  const wrote = (kind: KindName, answer: KubeObject): CustomObject => {
    const object = projectionOf(kind)(answer);
    const cache = caches.get(kind);
    const { uid, finalizers } = object.metadata;
    if (!isLeaving(object) || finalizers !== undefined) cache?.wrote(object);
    // What has no finalizer left and is to be deleted is gone with this answer; the watch may have told that before.
    else if (cache?.get(keyOf(object))?.metadata.uid === uid) unseen.removed(uid);
    return object;
  };
  const writer = createWriter({
    ...{ session, signal: leading, wrote, identity, onError },
    onUnanswered: unseen.unanswered,
    now: clock.now,
  });
  const context = {
    clock,
    writer,
    named,
    connections,
    signal: leading,
    concurrency,
    limit: createLimiter(writesAtATime),
    metrics,
    log,
  };

  function namespaceOf(name: string): Namespace {
    const known = namespaces.get(name);
    if (known !== undefined) return known;
    const made = startNamespace({
      context,
      random: Math.random,
      onFailure: (error, ms) => {
        if (!leading.aborted) log('warn', `${name}: ${error.message}; tried again in ${Math.round(ms)} ms`);
      },
      current: (label) => {
        const [kind, object] = label.split('/');
        return caches.get(kind as KindName)?.get(`${name}/${object ?? ''}`);
      },
    });
    namespaces.set(name, made);
    return made;
  }

  const lookAgain = (): void => {
    for (const namespace of namespaces.values()) namespace.lookAgain();
    drift = clock.after(driftMs, lookAgain);
  };
  let drift = clock.after(driftMs, lookAgain);
  for (const object of inOrder(caches)) {
    const change = { key: keyOf(object), before: undefined, after: object };
    namespaceOf(object.metadata.namespace).changed(change, 'periodic');
  }
  onChanges((change) => {
    if (change.after === undefined) unseen.gone(change.before?.metadata.uid ?? '');
    namespaceOf((change.after ?? change.before)?.metadata.namespace ?? '').changed(change, 'fresh');
  });
  await aborted(leading);
  onChanges(() => undefined);
  drift[Symbol.dispose]();
  await Promise.all([...namespaces.values()].map(({ ended }) => ended));
  return unseen;
}

/** What everything is in comes first. Somebody waits for what nobody has looked at; of that, whoever others refer to goes before them. */
function* inOrder(caches: Caches): Generator<CustomObject> {
  const isSettled = (object: CustomObject): boolean => !isLeaving(object) && isObserved(object);
  yield* caches.get('Workspace')?.values() ?? [];
  for (const settled of [false, true]) {
    for (const kind of firstToLast) {
      for (const object of caches.get(kind)?.values() ?? []) if (isSettled(object) === settled) yield object;
    }
  }
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
