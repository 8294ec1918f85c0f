import { metricsMediaType } from '@rolecall/api/metrics';
import type { FastifyInstance } from 'fastify';
import { reachesFurther } from '../handlers/existing.ts';
import type { Authenticate } from './authenticate.ts';
import { asIs } from './headers.ts';
import { methodsOf } from './methods.ts';

export const metricsPath = '/metrics';

/** The page of metrics for whoever has any API key; `startMetricsServer` has it for those without. */
export function registerMetrics(app: FastifyInstance, render: () => string, authenticate: Authenticate): void {
  app.route({
    method: methodsOf({ method: 'GET' }),
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
