import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { metricsMediaType } from '@rolecall/api/metrics';
import type { BindAddress } from './bind-address.ts';
import type { OperatorMetrics } from './operator-metrics.ts';

/** The addresses at which Prometheus and the kubelet ask. */
export interface StatusServers extends AsyncDisposable {
  /** The URLs of the pages; absent where they are not asked for. */
  readonly metrics?: string;
  readonly probes?: string;
}

interface Page {
  readonly status: number;
  readonly type: string;
  readonly text: string;
}

type Pages = Readonly<Record<string, () => Page>>;

const mostConnections = 100;
const plain = 'text/plain; charset=utf-8';

/**
 * Listens for `/metrics`, and for `/healthz` and `/readyz`, on one address or two. Neither asks who reads it, and neither
 * names an object: a NetworkPolicy says who may come.
 *
 * @throws Node's own error where it cannot listen
 */
export async function serveStatus(
  counted: Pick<OperatorMetrics, 'contact' | 'render'>,
  { metrics, probes }: { readonly metrics?: BindAddress | undefined; readonly probes?: BindAddress | undefined },
): Promise<StatusServers> {
  const { contact } = counted;
  const metricsPages: Pages = { '/metrics': () => ({ status: 200, type: metricsMediaType, text: counted.render() }) };
  const probePages: Pages = { '/healthz': () => probe(contact.unhealthy()), '/readyz': () => probe(contact.unready()) };
  const isOne =
    metrics !== undefined && metrics.host === probes?.host && metrics.port === probes.port && metrics.port > 0;
  const first = metrics && (await listen(isOne ? { ...metricsPages, ...probePages } : metricsPages, metrics));
  try {
    const second = isOne ? first : probes && (await listen(probePages, probes));
    return {
      ...(first === undefined ? {} : { metrics: `${first.origin}/metrics` }),
      ...(second === undefined ? {} : { probes: second.origin }),
      [Symbol.asyncDispose]: async () => {
        for (const server of new Set([first, second])) await server?.close();
      },
    };
  } catch (error) {
    await first?.close();
    throw error;
  }
}

function probe(problem: string | undefined): Page {
  return problem === undefined
    ? { status: 200, type: plain, text: 'ok\n' }
    : { status: 503, type: plain, text: `${problem}\n` };
}

async function listen(pages: Pages, { host, port }: BindAddress) {
  const server = createServer({ requestTimeout: 10_000 }, ({ method, url = '' }, response) => {
    const page = method === 'GET' || method === 'HEAD' ? pages[url.split('?', 1)[0] ?? '']?.() : undefined;
    const { status, type, text } = page ?? {
      status: 404,
      type: plain,
      text: `there is only GET ${Object.keys(pages).join(', ')}\n`,
    };
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(text);
  });
  server.maxConnections = mostConnections;
  server.listen({ port, ...(host === '' ? {} : { host }) });
  await once(server, 'listening');
  // Listening on a port, it has an address with one.
  const { port: bound } = server.address() as AddressInfo;
  const name = host === '' ? 'localhost' : host.includes(':') ? `[${host}]` : host;
  return {
    origin: `http://${name}:${bound}`,
    close: async () => {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}
