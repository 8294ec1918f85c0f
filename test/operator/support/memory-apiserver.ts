import { setImmediate as nextTurn } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import type { AdminClient } from '../../support/kubernetes/admin-client.ts';
import type { WatchEvent } from '../../support/kubernetes/watch-fault.ts';

type Fields = Record<string, unknown>;

interface Metadata extends Fields {
  name: string;
  namespace?: string;
  uid: string;
  resourceVersion: string;
  generation?: number;
  deletionTimestamp?: string;
  finalizers?: string[];
}

interface Stored extends Fields {
  metadata: Metadata;
}

export interface ServerRequest {
  readonly method: string;
  readonly path: string;
  readonly body?: unknown;
}

export interface ServerAnswer {
  readonly status: number;
  readonly body: unknown;
}

interface Watcher {
  readonly collection: string;
  readonly name: string | undefined;
  readonly tell: (event: WatchEvent) => void;
}

/** Refuses a request as the API server does: with a Status. */
class Refused extends Error {
  readonly answer: ServerAnswer;
  constructor(code: number, reason: string, message: string) {
    super(message);
    this.answer = { status: code, body: { kind: 'Status', code, reason, message } };
  }
}

const gone = (): Refused => new Refused(410, 'Expired', 'too old resource version');

/**
 * A Kubernetes API server in memory, as far as the operator uses one: lists, watches with history, merge patches with
 * preconditions, the status subresource, generations and finalizers. It knows neither rights nor schemas.
 * `apiserver-contract.ts` holds it and a real kube-apiserver to the same behaviour.
 */
export class MemoryApiserver {
  /** By collection (`/api/v1/namespaces/team/secrets`), then by `namespace/name`. */
  readonly #collections = new Map<string, Map<string, Stored>>();
  readonly #history: { readonly version: number; readonly collection: string; readonly event: WatchEvent }[] = [];
  readonly #watchers = new Set<Watcher>();
  #version = 100;
  #oldest = 0;

  /** Answers a request other than a watch. */
  handle({ method, path, body }: ServerRequest): ServerAnswer {
    try {
      const target = targetOf(path);
      return structuredClone({ status: method === 'POST' ? 201 : 200, body: this.#route(method, target, body) });
    } catch (error) {
      if (error instanceof Refused) return error.answer;
      throw error;
    }
  }

  /** An administrator's client, which no fault of a test gets in the way of. */
  admin(): AdminClient {
    return {
      call: async (method, path, body) => {
        await nextTurn();
        const { status, body: answer } = this.handle({ method, path, body });
        // What the server answers is what the test says it expects.
        return { status, body: answer as never };
      },
      [Symbol.asyncDispose]: () => Promise.resolve(),
    };
  }

  /** Watches a collection from the version in the path. @throws Refused where that is too old */
  watch(path: string, tell: (event: WatchEvent) => void): Disposable | ServerAnswer {
    const { collection, name, query } = targetOf(path);
    const from = Number(query.get('resourceVersion'));
    if (from < this.#oldest) return gone().answer;
    const watcher = { collection, name, tell };
    for (const past of this.#history) if (past.version > from) send(watcher, past.collection, past.event);
    this.#watchers.add(watcher);
    return { [Symbol.dispose]: () => void this.#watchers.delete(watcher) };
  }

  /** Deletes an object at once, finalizer and all: kube-apiserver does if the finalizer comes while it is deleting the object. */
  deleteAtOnce(path: string): void {
    const { collection, name } = targetOf(path);
    const object = this.#listed(collection).find(({ metadata }) => metadata.name === name);
    if (object === undefined) throw new Error(`there is no ${path}`);
    this.#remove(collection, object);
  }

  /** Forgets the history: a watch from an earlier version is refused with 410. */
  compact(): void {
    this.#version += 1;
    this.#oldest = this.#version;
    this.#history.length = 0;
  }

  #route(method: string, target: Target, body: unknown): unknown {
    const { collection, name, subresource } = target;
    if (name === undefined || target.isSelected) {
      if (method === 'GET') return this.#list(target);
      if (method === 'POST') return this.#create(collection, target.namespace, body as Fields);
      if (method !== 'DELETE') throw new Refused(405, 'MethodNotAllowed', `${method} of a collection`);
      for (const object of this.#listed(collection)) this.#delete(object, collection);
      return { kind: 'Status', status: 'Success' };
    }
    const object = this.#listed(collection).find(({ metadata }) => metadata.name === name);
    if (object === undefined) {
      const resource = collection.split('/').at(-1) ?? '';
      throw new Refused(404, 'NotFound', `${resource} "${name}" not found`);
    }
    if (method === 'GET') return object;
    if (method === 'DELETE') return this.#delete(object, collection);
    if (method === 'PUT') return this.#write(collection, object, body as Stored, subresource);
    if (method === 'PATCH') return this.#write(collection, object, merged(object, body) as Stored, subresource);
    throw new Refused(405, 'MethodNotAllowed', method);
  }

  #list({ collection, name }: Target): unknown {
    const all = this.#listed(collection).filter(({ metadata }) => name === undefined || metadata.name === name);
    return { metadata: { resourceVersion: String(this.#version) }, items: all };
  }

  /** The objects of a collection; of one that is not narrowed to a namespace, those of all namespaces. */
  #listed(collection: string): Stored[] {
    return [...this.#collections].filter(([key]) => within(key, collection)).flatMap(([, all]) => [...all.values()]);
  }

  #create(collection: string, namespace: string | undefined, { stringData, status: _status, ...body }: Fields): Stored {
    const { name, ...metadata } = body['metadata'] as Metadata;
    const all = this.#collections.get(collection) ?? new Map<string, Stored>();
    this.#collections.set(collection, all);
    if (all.has(name)) throw new Refused(409, 'AlreadyExists', `"${name}" already exists`);
    const object: Stored = {
      ...body,
      ...withData(body, stringData),
      metadata: {
        ...metadata,
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid: crypto.randomUUID(),
        creationTimestamp: new Date().toISOString().replace(/\.\d+/, ''),
        ...(hasStatus(collection) ? { generation: 1 } : {}),
        resourceVersion: '',
      },
    };
    return this.#store('ADDED', collection, object);
  }

  #write(collection: string, before: Stored, body: Stored, subresource: string | undefined): Stored {
    const { uid, resourceVersion } = body.metadata;
    if (isOther(uid, before.metadata.uid))
      throw new Refused(422, 'Invalid', 'metadata.uid: Invalid value: field is immutable');
    if (isOther(resourceVersion, before.metadata.resourceVersion))
      throw new Refused(409, 'Conflict', 'the object has been modified');
    const next =
      subresource === 'status' ? { ...before, status: body['status'] } : this.#written(collection, before, body);
    if (isDeepStrictEqual(next, before)) return before;
    const isLast = next.metadata.deletionTimestamp !== undefined && (next.metadata.finalizers ?? []).length === 0;
    return isLast ? this.#remove(collection, next) : this.#store('MODIFIED', collection, next);
  }

  #written(collection: string, before: Stored, { stringData, ...body }: Stored): Stored {
    const isOther = !isDeepStrictEqual(body['spec'], before['spec']);
    const { generation = 0, deletionTimestamp } = before.metadata;
    const { finalizers = [], ...metadata } = body.metadata;
    return {
      ...body,
      ...withData(body, stringData),
      ...(hasStatus(collection) ? { status: before['status'] } : {}),
      metadata: {
        ...metadata,
        ...(finalizers.length === 0 ? {} : { finalizers }),
        ...kept(before),
        ...(hasStatus(collection) ? { generation: isOther ? generation + 1 : generation } : {}),
        ...(deletionTimestamp === undefined ? {} : { deletionTimestamp }),
      },
    };
  }

  #delete(object: Stored, collection: string): unknown {
    const { finalizers = [], deletionTimestamp, generation } = object.metadata;
    const place = collectionOf(collection, object);
    if (finalizers.length === 0) return this.#remove(place, object);
    if (deletionTimestamp !== undefined) return object;
    const now = new Date().toISOString().replace(/\.\d+/, '');
    const counted = generation === undefined ? {} : { generation: generation + 1 };
    const metadata = { ...object.metadata, ...counted, deletionTimestamp: now };
    return this.#store('MODIFIED', place, { ...object, metadata });
  }

  #store(type: WatchEvent['type'], collection: string, object: Stored): Stored {
    const stored = this.#versioned(object);
    this.#collections.get(collectionOf(collection, object))?.set(object.metadata.name, stored);
    this.#tell(type, collectionOf(collection, object), stored);
    return stored;
  }

  #remove(collection: string, object: Stored): Stored {
    const place = collectionOf(collection, object);
    this.#collections.get(place)?.delete(object.metadata.name);
    this.#tell('DELETED', place, this.#versioned(object));
    return object;
  }

  #versioned(object: Stored): Stored {
    this.#version += 1;
    return { ...object, metadata: { ...object.metadata, resourceVersion: String(this.#version) } };
  }

  #tell(type: WatchEvent['type'], collection: string, object: Stored): void {
    const event: WatchEvent = { type, object };
    this.#history.push({ version: this.#version, collection, event });
    for (const watcher of [...this.#watchers]) send(watcher, collection, event);
  }
}

function send({ collection: watched, name, tell }: Watcher, collection: string, event: WatchEvent): void {
  if (!within(collection, watched)) return;
  if (name === undefined || event.object.metadata.name === name) tell(structuredClone(event));
}

/** Whether a collection of one namespace belongs to what is asked for: that collection, or the kind in all namespaces. */
function within(collection: string, asked: string): boolean {
  return collection === asked || collection.replace(/\/namespaces\/[^/]+(?=\/)/, '') === asked;
}

function collectionOf(asked: string, { metadata: { namespace } }: Stored): string {
  if (namespace === undefined || asked.includes('/namespaces/')) return asked;
  return asked.replace(/\/([^/]+)$/, `/namespaces/${namespace}/$1`);
}

/** Whether a precondition is given, and does not hold. */
const isOther = (wanted: string | undefined, is: string): boolean => wanted !== undefined && wanted !== is;

/** What a write of an object does not change. */
function kept({ metadata: { uid, resourceVersion, namespace } }: Stored) {
  return { uid, resourceVersion, ...(namespace === undefined ? {} : { namespace }) };
}

/** The kinds of Rolecall have a status that only its subresource writes. */
const hasStatus = (collection: string): boolean => collection.startsWith('/apis/rolecall.dev/');

function withData({ data }: Fields, stringData: unknown): Fields {
  if (stringData === undefined) return {};
  const encoded = Object.entries(stringData as Record<string, string>).map(([key, value]) => [
    key,
    Buffer.from(value).toString('base64'),
  ]);
  return { data: { ...(data as Fields | undefined), ...Object.fromEntries(encoded) } };
}

interface Target {
  readonly collection: string;
  readonly namespace: string | undefined;
  readonly name: string | undefined;
  readonly subresource: string | undefined;
  /** Whether the name selects from a collection (`fieldSelector`) instead of being part of the path. */
  readonly isSelected: boolean;
  readonly query: URLSearchParams;
}

const resourcePath =
  /^(?<collection>\/(?:api|apis\/[^/]+)\/[^/]+(?:\/namespaces\/(?<namespace>[^/]+)(?=\/))?\/[^/]+)(?:\/(?<name>[^/]+))?(?:\/(?<subresource>[^/]+))?$/;

function targetOf(path: string): Target {
  const { pathname, searchParams: query } = new URL(path, 'http://memory');
  // A namespace is an object of a collection of its own; what is in it has one more part to its path.
  const own = /^(?<collection>\/api\/v1\/namespaces)(?:\/(?<name>[^/]+))?$/.exec(pathname);
  const selected = query.get('fieldSelector')?.replace('metadata.name=', '');
  const parts = (own ?? resourcePath.exec(pathname))?.groups;
  if (parts?.['collection'] === undefined) throw new Refused(404, '', '404 page not found');
  return {
    collection: parts['collection'],
    namespace: parts['namespace'],
    name: parts['name'] ?? selected,
    subresource: parts['subresource'],
    isSelected: parts['name'] === undefined && selected !== undefined,
    query,
  };
}

/** JSON Merge Patch, RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== 'object' || patch === null || Array.isArray(patch)) return patch;
  const isObject = typeof target === 'object' && target !== null && !Array.isArray(target);
  const kept = Object.entries(isObject ? target : {}).filter(([key]) => (patch as Fields)[key] !== null);
  const result: Fields = Object.fromEntries(kept);
  for (const [key, value] of Object.entries(patch)) if (value !== null) result[key] = merged(result[key], value);
  return result;
}
