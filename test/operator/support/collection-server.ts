import { StatusError } from '../../../operator/runtime/errors.ts';
import type { KubeObject } from '../../../operator/runtime/reflector.ts';
import type { KubeSession } from '../../../operator/runtime/session.ts';

/** An API server that has one collection, whose watches do what a test scripts. */
export interface CollectionServer {
  readonly session: KubeSession;
  /** Writes an object, at a new version; watches that are open are told, unless they are mute. */
  readonly put: (name: string, uid?: string) => KubeObject;
  readonly remove: (name: string) => void;
  /** Sends a raw event to all watches. */
  readonly send: (event: unknown) => void;
  /** Ends all watches: as the server does after its time, or by an error. */
  readonly end: (error?: Error) => void;
  /** Whether watches hear of changes. */
  mute: boolean;
  /** A list is over, its objects handed out, only once this resolves. */
  listed: Promise<void>;
  /** What the next requests are answered with instead, in order. */
  readonly failures: Error[];
  /** Forgets all history: who asks for an older version is told 410. */
  readonly compact: () => void;
  /** Paths that were asked for, in order. */
  readonly requests: readonly string[];
  readonly lists: () => number;
}

interface Watcher {
  readonly tell: (event: unknown) => void;
  readonly finish: (error?: Error) => void;
}

export function collectionServer(): CollectionServer {
  const objects = new Map<string, KubeObject>();
  const history: { version: number; event: unknown }[] = [];
  const watchers = new Set<Watcher>();
  const requests: string[] = [];
  let version = 100;
  let oldest = 0;

  const record = (type: string, object: KubeObject): void => {
    const event = { type, object };
    history.push({ version, event });
    if (!server.mute) for (const { tell } of [...watchers]) tell(event);
  };

  const fail = (): void => {
    const failure = server.failures.shift();
    if (failure !== undefined) throw failure;
  };

  const session: KubeSession = {
    request: () => Promise.reject(new Error('a reflector only lists and watches')),
    list: async (path, onItem, signal) => {
      requests.push(path);
      await Promise.resolve();
      signal.throwIfAborted();
      fail();
      const metadata = { resourceVersion: String(version) };
      for (const object of [...objects.values()]) onItem(object);
      await server.listed;
      signal.throwIfAborted();
      return { metadata };
    },
    watch: async (path, onEvent, signal) => {
      requests.push(path);
      await Promise.resolve();
      if (signal.aborted) return;
      fail();
      const from = Number(new URL(path, 'http://localhost').searchParams.get('resourceVersion'));
      if (from < oldest) throw new StatusError(410, 'Expired', 'too old resource version');
      const { promise, resolve, reject } = Promise.withResolvers<undefined>();
      const watcher: Watcher = {
        tell: (event) => {
          try {
            onEvent(event);
          } catch (error) {
            watcher.finish(error as Error);
          }
        },
        finish: (error) => {
          watchers.delete(watcher);
          if (error === undefined) resolve(undefined);
          else reject(error);
        },
      };
      watchers.add(watcher);
      signal.addEventListener('abort', () => {
        watcher.finish();
      });
      if (!server.mute) for (const past of history) if (past.version > from) watcher.tell(past.event);
      await promise;
    },
    [Symbol.asyncDispose]: () => Promise.resolve(),
  };

  const server: CollectionServer = {
    session,
    mute: false,
    listed: Promise.resolve(),
    failures: [],
    requests,
    lists: () => requests.filter((path) => !path.includes('watch=1')).length,
    put: (name, uid = `uid of ${name}`) => {
      version += 1;
      const type = objects.has(name) ? 'MODIFIED' : 'ADDED';
      const object = { metadata: { name, namespace: 'default', uid, resourceVersion: String(version) } };
      objects.set(name, object);
      record(type, object);
      return object;
    },
    remove: (name) => {
      const object = objects.get(name)!;
      version += 1;
      objects.delete(name);
      record('DELETED', { metadata: { ...object.metadata, resourceVersion: String(version) } });
    },
    send: (event) => {
      for (const { tell } of [...watchers]) tell(event);
    },
    end: (error) => {
      for (const { finish } of [...watchers]) finish(error);
    },
    compact: () => {
      version += 1;
      oldest = version;
      history.length = 0;
    },
  };
  return server;
}
