import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsMediaType } from '@rolecall/api/metrics';
import type { FastifyInstance } from 'fastify';
import { reachesFurther } from '../handlers/existing.ts';
import type { Authenticate } from './authenticate.ts';
import { closeUnread, oneAtATime } from './connections.ts';
import { defaultLimits, timeLimits } from './limits.ts';
import { asIs } from './send-answer.ts';

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

/** A separate listener for the page of metrics that needs no key: for networks that only Prometheus can reach. */
export interface MetricsServer {
  readonly url: string;
  readonly close: () => Promise<void>;
}

const mostConnections = 100;

/** @throws Node's own error where it cannot listen */
export async function startMetricsServer(
  render: () => string,
  { host, port }: { host: string; port: number },
): Promise<MetricsServer> {
  const server = createServer(
    { requestTimeout: timeLimits.request },
    oneAtATime((request, response) => {
      const found = request.url?.split('?', 1)[0] === metricsPath && request.method === 'GET';
      if (found) response.writeHead(200, { 'content-type': metricsMediaType }).end(render());
      else response.writeHead(404, { 'content-type': 'text/plain' }).end(`there is only GET ${metricsPath}\n`);
    }),
  );
  server.maxConnections = mostConnections;
  closeUnread(server, 'connection', defaultLimits.unreadMs);
  server.listen({ host, port });
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}${metricsPath}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
