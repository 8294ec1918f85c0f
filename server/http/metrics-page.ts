import { metricsMediaType } from '@rolecall/api/metrics';
import type { FastifyInstance } from 'fastify';
import { reachesFurther } from '../handlers/existing.ts';
import type { Authenticate } from './authenticate.ts';
import { asIs } from './messages/send-answer.ts';
import type { StatusAnswer } from './status-server.ts';

export const metricsPath = '/metrics';

/** The page of metrics, for any API key. `startMetricsServer` serves it without a key. */
export function registerMetrics(app: FastifyInstance, render: () => string, authenticate: Authenticate): void {
  app.route({
    method: ['GET', 'HEAD'],
    url: metricsPath,
    onRequest: async (request) => {
      const { keyId, dataSources } = await authenticate(request);
      request.keyId = keyId;
      if (dataSources === undefined) return;
      throw reachesFurther();
    },
    handler: (_request, reply) => {
      void reply
        .header('content-type', metricsMediaType)
        .header('cache-control', 'no-store')
        .serializer(asIs)
        .send(render());
    },
  });
}

/** The page of metrics, for a listener of its own that asks for no key. */
export function metricsAnswer(render: () => string): StatusAnswer {
  return { type: metricsMediaType, body: render() };
}
