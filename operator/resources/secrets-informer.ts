/** Watches Secrets and ConfigMaps, each by its name once an object refers to it: no others are read, or may be. */

import { Cache } from '../runtime/cache.ts';
import type { Clock } from '../runtime/clock.ts';
import { isStatus, type StatusError } from '../runtime/errors.ts';
import { type KubeObject, runReflector } from '../runtime/reflector.ts';
import type { KubeSession } from '../runtime/session.ts';

export type DataKind = 'secrets' | 'configmaps';

/** The current content of one of them, or the problem with reading it. */
export type NamedData = { readonly data: Readonly<Record<string, string>> } | { readonly problem: string };

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

/** The most Secrets and ConfigMaps that are watched in one namespace. Each takes a stream of a connection, and of the API server. */
const mostWatched = 1_000;

const words = { secrets: 'Secret', configmaps: 'ConfigMap' } as const;

export class SecretsInformer {
  readonly #options: SecretsInformerOptions;
  /** By namespace, and in it by names as `secrets/billing-db`. */
  readonly #watches = new Map<string, Map<string, Watch>>();

  constructor(options: SecretsInformerOptions) {
    this.#options = options;
  }

  /** Waits for the first answer of the API server, and for nothing after it. */
  async read(kind: DataKind, namespace: string, name: string): Promise<NamedData> {
    const key = `${kind}/${name}`;
    const watches = this.#watches.get(namespace) ?? new Map<string, Watch>();
    if (!watches.has(key) && watches.size >= mostWatched)
      return {
        problem: `the ${words[kind]} ${name} cannot be read: the objects of this namespace name ${mostWatched} Secrets and ConfigMaps already. Put several passwords into one`,
      };
    const watch = watches.get(key) ?? new Watch(kind, namespace, name, this.#options);
    watches.set(key, watch);
    this.#watches.set(namespace, watches);
    return watch.read();
  }

  /** Ends the watches of a namespace but those that are used: names as `secrets/billing-db`. */
  keep(namespace: string, used: ReadonlySet<string>): void {
    const watches = this.#watches.get(namespace);
    for (const [key, watch] of watches ?? []) {
      if (used.has(key)) continue;
      watches?.delete(key);
      watch.end();
    }
    if (watches?.size === 0) this.#watches.delete(namespace);
  }
}

/** The watch of one of them. */
class Watch {
  readonly #kind: DataKind;
  readonly #namespace: string;
  readonly #name: string;
  readonly #options: SecretsInformerOptions;
  readonly #end = new AbortController();
  readonly #cache = new Cache<DataObject>(() => {
    this.#tell();
  });
  readonly #answered = Promise.withResolvers<undefined>();
  #isAnswered = false;
  #lastError: Error | undefined;
  /** The answer with which the API server last refused the right to read it; undefined once it was read again. */
  #forbidden: StatusError | undefined;

  constructor(kind: DataKind, namespace: string, name: string, options: SecretsInformerOptions) {
    this.#kind = kind;
    this.#namespace = namespace;
    this.#name = name;
    this.#options = options;
    void this.#run();
  }

  end(): void {
    this.#end.abort();
  }

  async read(): Promise<NamedData> {
    await this.#answered.promise;
    const what = `the ${words[this.#kind]} ${this.#name}`;
    // What was read before the right to read it was withdrawn is not used any more.
    if (this.#forbidden !== undefined || !this.#cache.isSynced())
      return { problem: `${what} cannot be read: ${whyNot(this.#forbidden ?? this.#lastError)}` };
    const object = this.#cache.get(`${this.#namespace}/${this.#name}`);
    return object === undefined
      ? { problem: `${what} is not in the namespace ${this.#namespace}` }
      : { data: object.data };
  }

  async #run(): Promise<void> {
    const { session, clock, signal } = this.#options;
    void this.#cache.synced.then(() => {
      // A reader that got a failure has to hear that it is over.
      if (this.#isAnswered) this.#tell();
      this.#answer();
    });
    await runReflector(
      {
        ...{ session, clock, sink: this.#cache, random: Math.random },
        path: `/api/v1/namespaces/${this.#namespace}/${this.#kind}`,
        fieldSelector: `metadata.name=${this.#name}`,
        project: (object) => projectData(this.#kind, object),
        onError: (error) => {
          this.#onError(error);
        },
        onContact: () => {
          this.#onContact();
        },
      },
      AbortSignal.any([signal, this.#end.signal]),
    );
    // A reader must not wait for a watch that has ended.
    this.#answer();
  }

  #onError(error: Error): void {
    this.#lastError = error;
    const isNews = this.#forbidden === undefined;
    if (isStatus(error, 403)) this.#forbidden = error;
    if (isNews && this.#forbidden !== undefined) this.#tell();
    this.#answer();
    this.#options.onError(error);
  }

  #onContact(): void {
    this.#lastError = undefined;
    if (this.#forbidden === undefined) return;
    this.#forbidden = undefined;
    this.#tell();
  }

  #tell(): void {
    if (this.#cache.isSynced()) this.#options.onChange(this.#kind, this.#namespace, this.#name);
  }

  #answer(): void {
    this.#isAnswered = true;
    this.#answered.resolve(undefined);
  }
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
