/** The operator: follows the custom resources, and looks at a namespace whenever something in it changed. */

import { hostname } from 'node:os';
import type { KindName } from '@rolecall/crds';
import type { OperatorMetrics } from '../metrics/operator-metrics.ts';
import { type Cache, type CacheChange, createCache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import { StatusError } from '../runtime/errors.ts';
import { becomeLeader } from '../runtime/leader-election.ts';
import { type KubeObject, runReflector } from '../runtime/reflector.ts';
import type { KubeSession } from '../runtime/session.ts';
import { createWorkQueue } from '../runtime/work-queue.ts';
import { runWorkers } from '../runtime/workers.ts';
import { createConnections } from './connect.ts';
import { allKinds, type CustomObject, kindPath, projectionOf } from './custom-object.ts';
import { createNamedObjects } from './named-objects.ts';
import { convergeNamespace, type Memories } from './namespace-pass.ts';
import { createWriter } from './writer.ts';

export interface OperatorOptions {
  readonly session: KubeSession;
  readonly clock: Clock;
  /** Follows one namespace only; absent: all of them. */
  readonly namespace?: string | undefined;
  /** Where the Lease is; absent: without leader election, for one who knows to be alone. */
  readonly lease?: { readonly namespace: string; readonly name: string } | undefined;
  /** How often the workspaces are looked at again though nothing changed here, in milliseconds. */
  readonly driftMs: number;
  /** How many namespaces are looked at side by side. */
  readonly workers?: number;
  /** How many calls of a service are under way at a time. */
  readonly concurrency?: number;
  readonly metrics?: OperatorMetrics | undefined;
  readonly log: (level: 'info' | 'warn', message: string) => void;
}

/** How long changes are gathered, so that what is applied together is planned together. */
const gatherMs = 20;

const retries = { baseMs: 500, maxMs: 10_000 };

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
  let changed: (namespace: string) => void = () => undefined;
  const caches = follow(
    options,
    (namespace) => {
      changed(namespace);
    },
    onError,
    either,
  );
  metrics?.objects(new Map([...caches].map(([kind, cache]) => [kind, () => cache.values()])), () =>
    [...caches.values()].every((cache) => cache.isSynced()),
  );
  try {
    if (lease !== undefined) metrics?.leads(lease.name, false);
    const leadership =
      lease === undefined
        ? undefined
        : await becomeLeader({ session, clock, random: Math.random, identity, onError, ...lease }, signal);
    if (lease !== undefined && leadership === undefined) return 'stopped';
    if (lease !== undefined) metrics?.leads(lease.name, true);
    if (leadership !== undefined) log('info', `this process leads, as ${identity}`);
    const leading = leadership === undefined ? signal : AbortSignal.any([signal, leadership.signal]);
    // Nothing may be concluded from what is missing before everything has been listed.
    await Promise.race([Promise.all([...caches.values()].map(({ synced }) => synced)), aborted(leading)]);
    await lead(options, caches, identity, leading, (tell) => {
      changed = tell;
    });
    if (lease !== undefined) metrics?.leads(lease.name, false);
    await leadership?.release().catch(onError);
    return signal.aborted ? 'stopped' : 'lost';
  } finally {
    reading.abort();
  }
}

type Caches = ReadonlyMap<KindName, Cache<CustomObject>>;

/** Follows every kind. Who waits to lead does so as well, and is ready at once. */
function follow(
  { session, clock, namespace, metrics }: OperatorOptions,
  changed: (namespace: string) => void,
  onError: (error: Error) => void,
  signal: AbortSignal,
): Caches {
  return new Map(
    allKinds.map((kind) => {
      const cache = createCache<CustomObject>((change) => {
        metrics?.changed(change);
        if (isWork(change)) changed((change.after ?? change.before)?.metadata.namespace ?? '');
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

/** A status that was written is no reason to look again; a wish that changed is. */
function isWork({ before, after }: CacheChange<CustomObject>): boolean {
  if (before === undefined || after === undefined) return true;
  const [a, b] = [before.metadata, after.metadata];
  return (
    a.generation !== b.generation ||
    a.deletionTimestamp !== b.deletionTimestamp ||
    JSON.stringify(a.annotations) !== JSON.stringify(b.annotations)
  );
}

/** Does the work, as long as this process leads. */
async function lead(
  options: OperatorOptions,
  caches: Caches,
  identity: string,
  leading: AbortSignal,
  onChanges: (tell: (namespace: string) => void) => void,
): Promise<void> {
  const { session, clock, log, driftMs, workers = 4, concurrency = 16, metrics } = options;
  const queue = createWorkQueue({ clock, random: Math.random, observer: metrics?.queue, ...retries });
  metrics?.workers(workers);
  const onError = (error: Error): void => {
    log('warn', error.message);
  };
  const add = (namespace: string): void => {
    queue.addAfter(namespace, gatherMs);
  };
  const named = createNamedObjects({ session, clock, signal: leading, onChange: add, onError });
  await using connections = createConnections(named, leading, concurrency);
  const wrote = (kind: KindName, answer: KubeObject): CustomObject => {
    const object = projectionOf(kind)(answer);
    // What has no finalizer left and is to be deleted is gone with this answer.
    if (object.metadata.deletionTimestamp === undefined || object.metadata.finalizers !== undefined) {
      caches.get(kind)?.wrote(object);
    }
    return object;
  };
  const writer = createWriter({ session, signal: leading, wrote, now: clock.now, identity, onError });
  const memories: Memories = new Map();
  const isOver = (): boolean => leading.aborted;
  const boundaries = new Map<string, Disposable>();
  const namespaces = (): Set<string> =>
    new Set([...caches.values()].flatMap((cache) => [...cache.values()].map(({ metadata }) => metadata.namespace)));

  async function work(namespace: string): Promise<void> {
    if (isOver()) return;
    const objects = [...caches.values()].flatMap((cache) =>
      [...cache.values()].filter(({ metadata }) => metadata.namespace === namespace),
    );
    boundaries.get(namespace)?.[Symbol.dispose]();
    boundaries.delete(namespace);
    const context = { clock, writer, named, connections, signal: leading, concurrency, written: metrics?.written };
    const { boundary } = await convergeNamespace(objects, memories, context);
    if (boundary === undefined || isOver()) return;
    boundaries.set(
      namespace,
      clock.at(boundary, () => {
        queue.add(namespace);
      }),
    );
  }

  const lookAgain = (): void => {
    for (const memory of memories.values()) memory.view = undefined;
    for (const namespace of namespaces()) queue.add(namespace, 'periodic');
    drift = clock.after(driftMs, lookAgain);
  };
  let drift = clock.after(driftMs, lookAgain);
  onChanges(add);
  for (const namespace of namespaces()) queue.add(namespace);
  leading.addEventListener('abort', queue.close, { once: true });
  if (leading.aborted) queue.close();
  const onFailure = (namespace: string, error: Error, ms: number): void => {
    if (!leading.aborted) log('warn', `${namespace}: ${error.message}; tried again in ${Math.round(ms)} ms`);
  };
  const atLeast = (error: Error): number => (error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0);
  await runWorkers({ queue, count: workers, work: metrics?.timed(work) ?? work, onFailure, atLeast });
  onChanges(() => undefined);
  drift[Symbol.dispose]();
  for (const timer of boundaries.values()) timer[Symbol.dispose]();
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
