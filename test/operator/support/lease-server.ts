import { StatusError } from '../../../operator/runtime/errors.ts';
import type { Lease } from '../../../operator/runtime/lease.ts';
import type { KubeRequest, KubeSession } from '../../../operator/runtime/session.ts';

/** An API server that knows one Lease, as far as an election can tell; faults of a session are scripted by a test. */
export interface LeaseServer {
  /** A session of one process. While `fail` gives an error, that is its answer; a promise that never ends, none. */
  readonly session: (faults?: {
    fail?: (request: KubeRequest) => Error | Promise<never> | undefined;
  }) => Pick<KubeSession, 'request' | 'watch'>;
  readonly lease: () => Lease | undefined;
  /** Who wrote the Lease, in order. */
  readonly holders: () => readonly string[];
}

export function leaseServer(): LeaseServer {
  let lease: Lease | undefined;
  let version = 0;
  const holders: string[] = [];
  const watchers = new Set<(event: unknown) => void>();

  function write({ method, body }: KubeRequest): Lease {
    const given = body as Lease;
    if (method === 'POST' && lease !== undefined) throw new StatusError(409, 'AlreadyExists', 'exists');
    if (method === 'PUT' && lease === undefined) throw new StatusError(404, 'NotFound', 'gone');
    if (method === 'PUT' && given.metadata.resourceVersion !== lease?.metadata.resourceVersion) {
      throw new StatusError(409, 'Conflict', 'changed');
    }
    version += 1;
    lease = { ...given, metadata: { ...given.metadata, resourceVersion: String(version) } };
    holders.push(lease.spec.holderIdentity ?? '');
    for (const tell of watchers) tell({ type: 'MODIFIED', object: lease });
    return lease;
  }

  return {
    lease: () => lease,
    holders: () => holders,
    session: ({ fail } = {}) => ({
      request: async (request) => {
        const fault = fail?.(request);
        if (fault instanceof Error) throw fault;
        if (fault !== undefined) await fault;
        await Promise.resolve();
        request.signal?.throwIfAborted();
        if (request.method !== 'GET') return write(request);
        if (lease === undefined) throw new StatusError(404, 'NotFound', 'none');
        return lease;
      },
      watch: (_path, onEvent, signal) => {
        watchers.add(onEvent);
        // A watch from no version begins with what is there.
        if (lease !== undefined) onEvent({ type: 'ADDED', object: lease });
        const { promise, resolve } = Promise.withResolvers<undefined>();
        const end = (): void => {
          watchers.delete(onEvent);
          resolve(undefined);
        };
        if (signal.aborted) end();
        signal.addEventListener('abort', end, { once: true });
        return promise;
      },
    }),
  };
}
