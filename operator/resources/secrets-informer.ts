/** Watches Secrets and ConfigMaps, each by its name once an object refers to it: no others are read, or may be. */

import { Cache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import { isStatus, type StatusError } from '../runtime/errors.ts';
import { type KubeObject, runReflector } from '../runtime/reflector.ts';
import type { KubeSession } from '../runtime/session.ts';

export type DataKind = 'secrets' | 'configmaps';

/** What is in one of them now, or why that is not known. */
export type NamedData = { readonly data: Readonly<Record<string, string>> } | { readonly problem: string };

export interface SecretsInformer {
  /** Waits for the first answer of the API server, and for nothing after it. */
  readonly read: (kind: DataKind, namespace: string, name: string) => Promise<NamedData>;
  /** Ends the watches of a namespace but those that are used: names as `secrets/billing-db`. */
  readonly keep: (namespace: string, used: ReadonlySet<string>) => void;
}

export interface SecretsInformerOptions {
  readonly session: KubeSession;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  /** Told that one changed, or can be read at last. */
  readonly onChange: (kind: DataKind, namespace: string, name: string) => void;
  readonly onError: (error: Error) => void;
}

interface DataObject extends KubeObject {
  readonly data: Readonly<Record<string, string>>;
}

/** How many Secrets and ConfigMaps of one namespace are watched. Each takes a stream of a connection, and of the API server. */
const mostWatched = 1_000;

interface Watched {
  readonly end: AbortController;
  readonly cache: Cache<DataObject>;
  readonly answered: Promise<void>;
  lastError: Error | undefined;
  /** The answer with which the API server last refused the right to read it; undefined once it was read again. */
  forbidden: StatusError | undefined;
}

const words = { secrets: 'Secret', configmaps: 'ConfigMap' } as const;

export function createSecretsInformer(options: SecretsInformerOptions): SecretsInformer {
  const all = new Map<string, Map<string, Watched>>();

  function watch(kind: DataKind, namespace: string, name: string): Watched {
    const end = new AbortController();
    const cache = new Cache<DataObject>(() => {
      if (cache.isSynced()) options.onChange(kind, namespace, name);
    });
    const first = Promise.withResolvers<undefined>();
    const watched: Watched = { end, cache, answered: first.promise, lastError: undefined, forbidden: undefined };
    let isTold = false;
    void first.promise.then(() => {
      isTold = true;
    });
    void cache.synced.then(() => {
      // A reader that got a failure has to hear that it is over.
      if (isTold) options.onChange(kind, namespace, name);
      first.resolve(undefined);
    });
    void runReflector(
      {
        session: options.session,
        clock: options.clock,
        path: `/api/v1/namespaces/${namespace}/${kind}`,
        fieldSelector: `metadata.name=${name}`,
        project: (object) => projectData(kind, object),
        sink: cache,
        random: Math.random,
        onError: (error) => {
          watched.lastError = error;
          const isNews = watched.forbidden === undefined;
          if (isStatus(error, 403)) watched.forbidden = error;
          if (isNews && watched.forbidden !== undefined && cache.isSynced()) options.onChange(kind, namespace, name);
          first.resolve(undefined);
          options.onError(error);
        },
        onContact: () => {
          watched.lastError = undefined;
          if (watched.forbidden === undefined) return;
          watched.forbidden = undefined;
          if (cache.isSynced()) options.onChange(kind, namespace, name);
        },
      },
      AbortSignal.any([options.signal, end.signal]),
      // A reader must not wait for a watch that has ended.
    ).then(() => {
      first.resolve(undefined);
    });
    return watched;
  }

  return {
    async read(kind, namespace, name) {
      const key = `${kind}/${name}`;
      const what = `the ${words[kind]} ${name}`;
      const known = all.get(namespace) ?? new Map<string, Watched>();
      if (!known.has(key) && known.size >= mostWatched)
        return {
          problem: `${what} cannot be read: the objects of this namespace name ${mostWatched} Secrets and ConfigMaps already. Put several passwords into one`,
        };
      const watched = known.get(key) ?? watch(kind, namespace, name);
      known.set(key, watched);
      all.set(namespace, known);
      await watched.answered;
      const { cache, forbidden, lastError } = watched;
      // What was read before the right to read it was withdrawn is not used any more.
      if (forbidden !== undefined || !cache.isSynced())
        return { problem: `${what} cannot be read: ${whyNot(forbidden ?? lastError)}` };
      const found = cache.get(`${namespace}/${name}`);
      return found === undefined ? { problem: `${what} is not in the namespace ${namespace}` } : { data: found.data };
    },
    keep(namespace, used) {
      const known = all.get(namespace);
      for (const [key, { end }] of known ?? []) {
        if (used.has(key)) continue;
        known?.delete(key);
        end.abort();
      }
      if (known?.size === 0) all.delete(namespace);
    },
  };
}

function whyNot(error: Error | undefined): string {
  if (!isStatus(error, 403)) return error?.message ?? 'no answer';
  return `${error.message}. Let the operator read it: apply operator/deploy/tenant to this namespace, or name it in the values of the chart (secrets)`;
}

/** Secrets are in base64, ConfigMaps as they are. */
function projectData(kind: DataKind, object: KubeObject): DataObject {
  const { metadata, data = {} } = object as Partial<DataObject> & KubeObject;
  const { name, namespace, uid, resourceVersion } = metadata;
  const decoded =
    kind === 'configmaps'
      ? data
      : Object.fromEntries(Object.entries(data).map(([key, value]) => [key, Buffer.from(value, 'base64').toString()]));
  return {
    metadata: { name, uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) },
    data: decoded,
  };
}
