import { jsonMediaType } from '@rolecall/api';
import { openApiDocument, personOpenApiDocument } from '@rolecall/api/openapi';
import type { FastifyInstance } from 'fastify';
import { Refusal } from '../refusal.ts';
import { asIs, inPieces } from './messages/send-answer.ts';

/** State of the service, which the probes ask for. */
export interface Health {
  /** True if the service is closing, so that a load balancer should send requests elsewhere. */
  isClosing(): boolean;
  /** True if requests are refused at the moment, because there are too many. */
  isOverloaded(): boolean;
  /** Reads something from the store. @throws StoreUnavailableError */
  checkStore(): Promise<void>;
}

/** The paths that need no key, with what they are for; additions to the specification. */
export const openPaths = ['/healthz', '/readyz', '/openapi.json', '/person/v1/openapi.json'] as const;

/** Answers the probes of a scheduler and the description of the API, without authentication. */
export function registerProbes(app: FastifyInstance, health: Health): void {
  // Built on first use: it takes longer than the rest of the start.
  const documents = new Map<string, Buffer>();
  const documentOf = (name: string, describe: () => object): Promise<Buffer> => {
    const document = documents.get(name) ?? Buffer.from(JSON.stringify(describe()));
    documents.set(name, document);
    return Promise.resolve(document);
  };
  // Probes need no key: many at a time cost the store one read.
  let checking: Promise<void> | undefined;
  const checkStore = () =>
    (checking ??= health.checkStore().finally(() => {
      checking = undefined;
    }));
  const answers: Record<(typeof openPaths)[number], () => Promise<string | Buffer>> = {
    // Says only that the process answers: otherwise a scheduler would restart it because its disk is full.
    '/healthz': () => Promise.resolve('{"status":"ok"}'),
    '/readyz': async () => {
      if (health.isClosing()) throw unready('the service is shutting down');
      if (health.isOverloaded()) throw unready('the service has more requests than it can answer');
      await checkStore();
      return '{"status":"ready"}';
    },
    '/openapi.json': () => documentOf('keys', openApiDocument),
    '/person/v1/openapi.json': () => documentOf('people', personOpenApiDocument),
  };
  for (const path of openPaths) {
    app.route({
      method: ['GET', 'HEAD'],
      url: path,
      handler: async (_request, reply) => {
        const body = await answers[path]();
        return reply.header('content-type', jsonMediaType).serializer(asIs).send(inPieces(reply, body));
      },
    });
  }
}

function unready(detail: string): Refusal {
  return new Refusal('unavailable', detail, { headers: { 'retry-after': '1' } });
}
