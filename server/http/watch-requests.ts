import type { ServerResponse } from 'node:http';
import { eventStreamType, personRouteTable, routeTable } from '@rolecall/api';
import type { Counter, Histogram } from '@rolecall/api/metrics';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';
import { networkOf } from './connections.ts';
import { type Share, Shares } from './limits/load.ts';

/** The memory that a stream takes, in bytes: a page, and the piece of it on its way. */
const streamBytes = 1024 * 1024;

/** Counts requests that no operation takes: they have no route to watch. */
export type Unrouted = (method: string | undefined, status: number) => void;

export interface RequestWatch {
  /** Counts the requests that are being worked on. */
  readonly inFlight: () => number;
  readonly unrouted: Unrouted;
}

export interface WatchParts {
  readonly metrics: ServiceMetrics;
  /** Refuses a request of an operation, by throwing, by what its client address has already. */
  readonly refuse: (share: Share) => void;
  /** Bytes of unread answers; beyond it the connections that have waited longest are closed. */
  readonly maxUnread: number;
}

const operations = new Map<string, string>(
  [...Object.values(routeTable), ...Object.values(personRouteTable)].map(({ path, method, operationId }) => [
    `${method} ${path}`,
    operationId,
  ]),
);

/** Clients may send any token as a method: each would make a new series. */
const knownMethods = new Set(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']);

/** Schedulers decide by these whether the process keeps running: they are answered at any load, and take no slot. */
const probes = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * Counts and times every request, before anything else is done with it. What each route counts with is found when the route is
 * made, not at each request. A request takes a slot until its answer is made; an answer that is not taken counts as unread.
 *
 * @param app whose routes are made after this
 */
export function watchRequests(app: FastifyInstance, { metrics, refuse, maxUnread }: WatchParts): RequestWatch {
  const shares = new Shares(maxUnread);

  /** Called once for each request, even if the client leaves before its end; `finish` would not be. */
  function ended(this: Watched): void {
    shares.end(this);
    const { operation, begun, method } = this[watching];
    operation.duration.observe((performance.now() - begun) / 1000);
    operation.count(method, this.writableFinished ? this.statusCode : undefined);
  }

  function begin(operation: Operation, method: string, response: Watched): void {
    // One listener for all: a closure for each request costs more than the counting.
    response[watching] = { operation, begun: performance.now(), method };
    response.on('close', ended);
  }

  app.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    const name = operations.get(`${method} ${route.url}`);
    const operation = watchOperation(metrics, name ?? (route.config?.isPage === true ? 'page' : route.url.slice(1)));
    const takesSlot = !probes.has(route.url);
    const [next, ...more] = [route.onRequest ?? []].flat();
    if (more.length > 0) throw new Error(`${route.url} has several hooks, and only the first would be called`);
    route.onRequest = function watch(request, reply, done) {
      begin(operation, request.method, reply.raw as Watched);
      if (takesSlot) refuse(shares.begin(reply.raw, networkOf(request.ip)));
      if (next === undefined) {
        done();
        return undefined;
      }
      // What it gives is a promise where it is asynchronous, which is Fastify's to wait for.
      return next.call(this, request, reply, done) as Promise<unknown> | undefined;
    } satisfies onRequestHookHandler;
  });

  app.addHook('onSend', (_request, reply, payload, done) => {
    // A stream of events holds little, and is open for hours: counted as unread, a few would keep their address out.
    const isEvents = reply.getHeader('content-type') === eventStreamType;
    shares.answered(reply.raw, isEvents ? 0 : sizeOf(payload));
    done(null, payload);
  });

  const unrouted = watchOperation(metrics, 'none');
  return {
    inFlight: () => shares.inFlight,
    unrouted: (method, status) => {
      unrouted.count(method !== undefined && knownMethods.has(method) ? method : 'other', status);
    },
  };
}

/** Memory that an answer holds until it is read, in bytes; for a stream, what is read ahead. */
function sizeOf(payload: unknown): number {
  if (typeof payload === 'string' || Buffer.isBuffer(payload)) return payload.length;
  return payload === undefined || payload === null ? 0 : streamBytes;
}

/** The property of a response with its counters. */
const watching = Symbol('watching');

type Watched = ServerResponse & { [watching]: { operation: Operation; begun: number; method: string } };

interface Operation {
  readonly duration: Histogram;
  /** @param status undefined where the client did not wait for it */
  readonly count: (method: string, status: number | undefined) => void;
}

function watchOperation(metrics: ServiceMetrics, operation: string): Operation {
  const methods = new Map<string, Counter[]>();
  return {
    duration: metrics.requestDuration(operation),
    count: (method, status) => {
      let counters = methods.get(method);
      if (counters === undefined) methods.set(method, (counters = []));
      const hundreds = status === undefined ? 0 : Math.trunc(status / 100);
      counters[hundreds] ??= metrics.requests(operation, method, hundreds === 0 ? 'aborted' : `${hundreds}xx`);
      counters[hundreds].add();
    },
  };
}
