import { HttpSession, type KubeSession, systemClock } from '@rolecall/operator';
import { adminClient, installKinds } from '../../test/support/kubernetes/admin-client.ts';
import { startApiserver } from '../../test/support/kubernetes/apiserver.ts';
import { buildApiserver } from '../../test/support/kubernetes/programs.ts';

/** A kind as a benchmark writes it. */
export interface Resource {
  kind: string;
  name: string;
  spec: Record<string, unknown>;
}

export interface Seen {
  type: string;
  object: {
    metadata: { name: string; generation: number; resourceVersion: string };
    status?: { observedGeneration?: number; state?: string; conditions?: { type: string; status: string }[] };
  };
}

/** A real API server with the kinds in it, and a bare connection to it. */
export interface Cluster {
  readonly url: string;
  readonly ca: string;
  readonly token: string;
  readonly session: KubeSession;
  readonly create: (namespace: string, resources: Iterable<Resource>) => Promise<void>;
  readonly patch: (namespace: string, kind: string, name: string, body: object, subresource?: string) => Promise<void>;
  readonly remove: (namespace: string, kind: string, name: string) => Promise<void>;
  /** Follows a kind; calls `see` with every event and its moment in milliseconds since 1970. */
  readonly follow: (
    namespace: string,
    kind: string,
    see: (event: Seen, at: number) => void,
  ) => Promise<AsyncDisposable>;
  readonly stop: () => Promise<void>;
}

const plurals: Readonly<Record<string, string>> = {
  Workspace: 'workspaces',
  Person: 'people',
  DataSource: 'datasources',
  Permission: 'permissions',
};

/** How much the benchmark itself writes at a time: as much as the operator does. */
const atATime = 48;

export async function startCluster(): Promise<Cluster> {
  await buildApiserver((text) => process.stderr.write(`${text}\n`));
  const server = await startApiserver();
  await using admin = adminClient(server);
  await installKinds(admin);
  const connection = {
    url: server.url,
    tls: { ca: server.ca },
    authorization: () => Promise.resolve(`Bearer ${server.token}`),
    namespace: 'default',
  };
  const session = new HttpSession({ connection, clock: systemClock, userAgent: 'rolecall-bench-floor' });
  const pathOf = (namespace: string, kind: string, name = ''): string =>
    `/apis/rolecall.dev/v1alpha1/namespaces/${namespace}/${plurals[kind] ?? ''}${name === '' ? '' : `/${name}`}`;
  return {
    url: server.url,
    ca: server.ca,
    token: server.token,
    session,
    create: (namespace, resources) =>
      sideBySide(resources, async ({ kind, name, spec }) => {
        const body = { apiVersion: 'rolecall.dev/v1alpha1', kind, metadata: { name }, spec };
        await session.request({ method: 'POST', path: pathOf(namespace, kind), body });
      }),
    patch: async (namespace, kind, name, body, subresource = '') => {
      const path = `${pathOf(namespace, kind, name)}${subresource}`;
      await session.request({ method: 'PATCH', path, body, contentType: 'application/merge-patch+json' });
    },
    remove: async (namespace, kind, name) => {
      await session.request({ method: 'DELETE', path: pathOf(namespace, kind, name) });
    },
    follow: async (namespace, kind, see) => {
      // Reports everything that happens after this version.
      const list = (await session.request({ method: 'GET', path: `${pathOf(namespace, kind)}?limit=1` })) as {
        metadata: { resourceVersion: string };
      };
      const ended = new AbortController();
      const following = (async () => {
        let version = list.metadata.resourceVersion;
        // The server ends a watch whose reader falls behind while both cores are busy: what comes next is then asked for.
        while (!ended.signal.aborted) {
          await session.watch(
            `${pathOf(namespace, kind)}?watch=1&resourceVersion=${version}`,
            (event) => {
              const seen = event as Seen;
              if (seen.type === 'ERROR')
                throw new Error(`the watch of the benchmark was lost: ${JSON.stringify(event)}`);
              version = seen.object.metadata.resourceVersion;
              see(seen, Date.now());
            },
            ended.signal,
          );
        }
      })();
      following.catch((error: unknown) => {
        if (ended.signal.aborted) return;
        process.stderr.write(`${String(error)}\n`);
        // A caller that counts these events would wait for ever.
        process.exit(1);
      });
      return {
        [Symbol.asyncDispose]: async () => {
          ended.abort();
          await following.catch(() => undefined);
        },
      };
    },
    stop: async () => {
      await session[Symbol.asyncDispose]();
      await server.stop();
    },
  };
}

/** Does something for each item, so many at a time. */
export async function sideBySide<T>(items: Iterable<T>, run: (item: T) => Promise<void>): Promise<void> {
  const iterator = Iterator.from(items);
  await Promise.all(
    Array.from({ length: atATime }, async () => {
      for (let next = iterator.next(); next.done !== true; next = iterator.next()) await run(next.value);
    }),
  );
}
