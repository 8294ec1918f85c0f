/**
 * Keeps a copy of one collection of an API server: lists it, then watches it for ever. It follows client-go's
 * tools/cache/reflector; for the protocol see the Kubernetes documentation, "Efficient detection of changes".
 */

import { backoff } from './backoff.ts';
import { type Clock, sleep } from './clock.ts';
import { isStatus, StatusError } from './errors.ts';
import type { KubeSession } from './session.ts';

/** The part of an object that this code needs. */
export interface ObjectMeta {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
}

export interface KubeObject {
  readonly metadata: ObjectMeta;
}

/** A list of a collection while it is read. A list that fails never ends. */
export interface Listing<T> {
  readonly add: (object: T) => void;
  readonly end: (version: string) => void;
}

/** The target that a reflector fills. */
export interface ReflectorSink<T> {
  /** Begins to take all objects at one version of the collection; once the list has ended, others are gone. */
  readonly list: () => Listing<T>;
  readonly changed: (object: T) => void;
  readonly deleted: (object: T) => void;
  /** Everything up to this version has arrived, and there is nothing new. */
  readonly reached: (version: string) => void;
}

export interface ReflectorOptions<T extends KubeObject> {
  readonly session: KubeSession;
  /** The collection: `/apis/rolecall.dev/v1alpha1/people`. */
  readonly path: string;
  /** Narrows the collection: `metadata.name=billing-db`. */
  readonly fieldSelector?: string;
  /** Keeps only the needed part of an object, so that the rest takes no memory. */
  readonly project: (object: KubeObject) => T;
  readonly sink: ReflectorSink<T>;
  readonly clock: Clock;
  /** A number from 0 up to 1. */
  readonly random: () => number;
  /** Called for every failure; the reflector continues by itself. */
  readonly onError: (error: Error) => void;
  /** Called for every list, and for every event and bookmark of a watch, as a sign of contact. */
  readonly onContact?: () => void;
  /** The time for which a watch may bring neither event nor bookmark; the server sends one a minute. */
  readonly silenceMs?: number;
  /** Given, with each watch, what ends it and has everything listed again. */
  readonly onWatch?: (listAgain: () => void) => void;
}

const defaultSilenceMs = 150_000;

/** The time after which everything is listed again, in case events were lost on the way. */
const relistMs = 60 * 60_000;

/** A watch is ended by the server after 5 to 10 minutes, so that the load moves on to servers that came later. */
const watchSeconds = 300;

/** Short at its longest: after a server came back, little more time may pass. */
const retryBackoff = { baseMs: 800, maxMs: 8_000 };

/** Runs until the signal is aborted. Never rejects: it retries every failure, more slowly each time. */
export async function runReflector<T extends KubeObject>(
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<void> {
  const { clock, random, onError } = options;
  let version: string | undefined;
  let failures = 0;
  let relistAt = 0;
  const isOver = (): boolean => signal.aborted;
  while (!isOver()) {
    try {
      if (version === undefined || clock.elapsed() >= relistAt) {
        version = await listAll(options, signal);
        relistAt = clock.elapsed() + relistMs * (0.9 + 0.2 * random());
      }
      const watched = await watchFrom(version, options, signal);
      version = watched.version;
      if (watched.progressed) failures = 0;
      if (watched.failed !== undefined) throw watched.failed;
      if (watched.progressed) continue;
      // A watch that is ended at once, every time, must not be asked for as fast as it can be.
      failures += 1;
    } catch (error) {
      if (isOver()) return;
      failures += 1;
      if (isExpired(error)) {
        version = undefined;
        // Lists at once; only a list that expires again has to wait.
        if (failures === 1) continue;
      }
      // A watch that is allowed again stays silent until something changes. A list tells at once.
      if (isStatus(error, 403)) version = undefined;
      onError(error instanceof Error ? error : new Error(String(error)));
      const asked = error instanceof StatusError ? (error.retryAfterMs ?? 0) : 0;
      await sleep(clock, Math.max(asked, backoff(failures, { ...retryBackoff, random })), signal);
      continue;
    }
    await sleep(clock, backoff(failures, { ...retryBackoff, random }), signal);
  }
}

/**
 * Reads the current state of the whole collection, never an older one from a cache, and replaces the known objects. It asks for no
 * pages: to wait for one after another makes a restart longer.
 */
async function listAll<T extends KubeObject>(options: ReflectorOptions<T>, signal: AbortSignal): Promise<string> {
  const { session, path, fieldSelector, project, sink, onContact } = options;
  const listing = sink.list();
  const query = fieldSelector === undefined ? '' : `?${new URLSearchParams({ fieldSelector }).toString()}`;
  const take = (item: unknown): void => {
    signal.throwIfAborted();
    // What a list of this collection contains, by the API's conventions.
    listing.add(project(item as KubeObject));
  };
  const list = await session.list(`${path}${query}`, take, signal);
  signal.throwIfAborted();
  onContact?.();
  const { resourceVersion } = (list as { readonly metadata: { readonly resourceVersion: string } }).metadata;
  listing.end(resourceVersion);
  return resourceVersion;
}

interface Watched {
  /** The version to continue from; undefined if only a new list helps. */
  readonly version: string | undefined;
  /** True if it brought events, or lasted. */
  readonly progressed: boolean;
  readonly failed?: Error;
}

/** Why a watch is ended that was not silent. */
const listAgain = Symbol('list again');

/** The time that a watch has to last to count as one, in milliseconds. */
const lasting = 1_000;

async function watchFrom<T extends KubeObject>(
  from: string,
  options: ReflectorOptions<T>,
  signal: AbortSignal,
): Promise<Watched> {
  const { session, path, fieldSelector, clock, random, onContact, onWatch, silenceMs = defaultSilenceMs } = options;
  const query = new URLSearchParams({
    ...(fieldSelector === undefined ? {} : { fieldSelector }),
    watch: '1',
    allowWatchBookmarks: 'true',
    resourceVersion: from,
    timeoutSeconds: String(Math.round(watchSeconds * (1 + random()))),
  });
  const begun = clock.elapsed();
  let version: string = from;
  let events = 0;
  const silent = new AbortController();
  const either = AbortSignal.any([signal, silent.signal]);
  const listen = (): Disposable =>
    clock.after(silenceMs, () => {
      silent.abort();
    });
  let patience = listen();
  onWatch?.(() => {
    silent.abort(listAgain);
  });
  try {
    await session.watch(
      `${path}?${query.toString()}`,
      (raw) => {
        // An event that was in flight when the watch was ended may not change the cache.
        if (either.aborted) return;
        patience[Symbol.dispose]();
        patience = listen();
        events += 1;
        version = takeEvent(raw as WatchEvent, options) ?? version;
        onContact?.();
      },
      either,
    );
  } catch (error) {
    if (signal.aborted) return { version, progressed: false };
    const failed = error instanceof Error ? error : new Error(String(error));
    return { version, progressed: events > 0, failed };
  } finally {
    patience[Symbol.dispose]();
  }
  if (silent.signal.reason === listAgain) return { version: undefined, progressed: true };
  if (silent.signal.aborted && !signal.aborted) {
    const failed = new Error(`the watch of ${path} was silent for ${silenceMs / 1000} s`);
    // Events that were held back may be lost: only a list can tell.
    return { version: undefined, progressed: events > 0, failed };
  }
  return { version, progressed: events > 0 || clock.elapsed() - begun > lasting };
}

type WatchEvent =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'; readonly object: KubeObject }
  | { readonly type: 'ERROR'; readonly object: { code?: number; reason?: string; message?: string } };

/** @returns the version up to which everything has been seen; undefined where an event does not tell */
function takeEvent<T extends KubeObject>(
  event: WatchEvent,
  { project, sink }: ReflectorOptions<T>,
): string | undefined {
  switch (event.type) {
    case 'ADDED':
    case 'MODIFIED':
      sink.changed(project(event.object));
      return event.object.metadata.resourceVersion;
    case 'DELETED':
      sink.deleted(project(event.object));
      return event.object.metadata.resourceVersion;
    case 'BOOKMARK':
      sink.reached(event.object.metadata.resourceVersion);
      return event.object.metadata.resourceVersion;
    case 'ERROR': {
      const { code = 500, reason = '', message = 'the watch failed' } = event.object;
      throw new StatusError(code, reason, message);
    }
    default:
      // A type that a later Kubernetes adds says nothing here.
      return undefined;
  }
}

/** 410: the request names a version that the server no longer remembers. */
function isExpired(error: unknown): boolean {
  return isStatus(error, 410) || (error instanceof StatusError && error.reason === 'Expired');
}
