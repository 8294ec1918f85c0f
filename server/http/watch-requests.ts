import type { ServerResponse } from 'node:http';
import { routeTable } from '@rolecall/api';
import type { Counter, Histogram } from '@rolecall/api/metrics';
import type { FastifyInstance, onRequestHookHandler } from 'fastify';
import type { ServiceMetrics } from '../metrics/service-metrics.ts';

/** Told of requests that no operation takes, for which there is no route to watch. */
export type Unrouted = (method: string | undefined, status: number) => void;

export interface RequestWatch {
  /** How many requests are being worked on. */
  readonly inFlight: () => number;
  readonly unrouted: Unrouted;
}

export interface WatchParts {
  readonly metrics: ServiceMetrics;
  /** Refuses a request of an operation, by throwing. */
  readonly refuse: () => void;
}

const operations = new Map<string, string>(
  Object.values(routeTable).map(({ path, method, operationId }) => [`${method} ${path}`, operationId]),
);

/** Clients may send any token as a method, and each would be a series of its own. */
const knownMethods = new Set(['GET', 'POST', 'PUT', 'DELETE']);

/**
 * Counts and times every request, before anything else is done with it. What each route counts with is found when the route is
 * made, not at each request.
 *
 * @param app whose routes are made after this
 */
export function watchRequests(app: FastifyInstance, { metrics, refuse }: WatchParts): RequestWatch {
  let inFlight = 0;

  /** Comes once, also where the client goes away in the middle; `finish` does not. */
  function ended(this: Watched): void {
    inFlight -= 1;
    const { operation, begun, method } = this[watching];
    operation.duration.observe((performance.now() - begun) / 1000);
    operation.count(method, this.writableFinished ? this.statusCode : undefined);
  }

  function begin(operation: Operation, method: string, response: Watched): void {
    inFlight += 1;
    // One listener for all: a closure for each request costs more than the counting.
    response[watching] = { operation, begun: performance.now(), method };
    response.on('close', ended);
  }

  app.addHook('onRoute', (route) => {
    const [method = ''] = [route.method].flat();
    const name = operations.get(`${method} ${route.url}`);
    const operation = watchOperation(metrics, name ?? route.url.slice(1));
    const [next, ...more] = [route.onRequest ?? []].flat();
    if (more.length > 0) throw new Error(`${route.url} has several hooks, and only the first would be called`);
    route.onRequest = function watch(request, reply, done) {
      begin(operation, request.method, reply.raw as Watched);
      // The probes are answered whatever the load: who asks them decides whether this process goes on.
      if (name !== undefined) refuse();
      if (next === undefined) {
        done();
        return undefined;
      }
      // What it gives is a promise where it is asynchronous, which is Fastify's to wait for.
      return next.call(this, request, reply, done) as Promise<unknown> | undefined;
    } satisfies onRequestHookHandler;
  });

  const unrouted = watchOperation(metrics, 'none');
  return {
    inFlight: () => inFlight,
    unrouted: (method, status) => {
      unrouted.count(method !== undefined && knownMethods.has(method) ? method : 'other', status);
    },
  };
}

/** Where a response has what it is counted with. */
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
