import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { closeUnread, oneAtATime } from './connections.ts';
import { defaultLimits, timeLimits } from './limits/limits.ts';

/** Answer of one path of a status listener. */
export interface StatusAnswer {
  /** Default 200. */
  readonly status?: number;
  readonly type: string;
  readonly body: string;
}

/** A listener without keys: for networks that only Prometheus and schedulers can reach. */
export interface StatusServer {
  /** Without a path, as in http://127.0.0.1:9480. */
  readonly url: string;
  readonly close: () => Promise<void>;
}

const mostConnections = 100;

/**
 * @param answers by path, such as `/metrics`
 * @throws Node's own error where it cannot listen
 */
export async function startStatusServer(
  answers: Readonly<Record<string, () => StatusAnswer | Promise<StatusAnswer>>>,
  { host, port }: { host: string; port: number },
): Promise<StatusServer> {
  const none = { status: 404, type: 'text/plain', body: `there is only GET ${Object.keys(answers).join(', ')}\n` };
  const server = createServer(
    { requestTimeout: timeLimits.request },
    oneAtATime((request, response) => {
      const path = request.url?.split('?', 1)[0] ?? '';
      const answer = request.method === 'GET' && Object.hasOwn(answers, path) ? answers[path] : undefined;
      void (async () => {
        const { status = 200, type, body } = (await answer?.()) ?? none;
        response.writeHead(status, { 'content-type': type }).end(body);
      })();
    }),
  );
  server.maxConnections = mostConnections;
  closeUnread(server, 'connection', defaultLimits.unreadMs);
  server.listen({ host, port });
  await once(server, 'listening');
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://${host.includes(':') ? `[${host}]` : host}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
