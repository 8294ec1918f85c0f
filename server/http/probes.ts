import { jsonMediaType } from '@rolecall/api';
import { openApiDocument } from '@rolecall/api/openapi';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../refusal.ts';
import { asIs } from './headers.ts';
import { methodsOf } from './methods.ts';

/** What the probes ask. */
export interface Health {
  /** Whether the service is closing, so that a load balancer should send requests elsewhere. */
  isClosing(): boolean;
  /** Reads something from the store. @throws StoreUnavailableError */
  checkStore(): Promise<void>;
}

/** The paths that need no key, with what they are for; additions to the specification. */
export const openPaths = ['/healthz', '/readyz', '/openapi.json'] as const;

/** Answers the probes of a scheduler and the description of the API, without authentication. */
export function registerProbes(app: FastifyInstance, health: Health): void {
  // Made when it is first asked for: it takes longer than the rest of the start.
  let document: string | undefined;
  const answers: Record<(typeof openPaths)[number], () => Promise<string>> = {
    // The process answers: nothing else, or a scheduler would restart it because its disk is full.
    '/healthz': () => Promise.resolve('{"status":"ok"}'),
    '/readyz': async () => {
      if (health.isClosing()) throw closing();
      await health.checkStore();
      return '{"status":"ready"}';
    },
    '/openapi.json': () => Promise.resolve((document ??= JSON.stringify(openApiDocument()))),
  };
  for (const path of openPaths) {
    app.route({
      method: methodsOf({ method: 'GET' }),
      url: path,
      handler: async (_request, reply) => {
        const body = await answers[path]();
        return reply.header('content-type', jsonMediaType).serializer(asIs).send(body);
      },
    });
  }
}

function closing(): Refusal {
  return new Refusal('unavailable', 'the service is shutting down', { headers: { 'retry-after': '1' } });
}
