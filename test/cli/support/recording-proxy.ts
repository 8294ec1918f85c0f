import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { storeHeader } from '@rolecall/api';
import { listenOn } from '../../support/relay.ts';

export interface Intercepted {
  readonly status: number;
  readonly headers?: Record<string, string>;
  readonly body?: string;
}

export interface RecordingProxy extends AsyncDisposable {
  readonly url: string;
  /** `GET /api/v2/person`, in the order of their coming. */
  readonly calls: string[];
  /** What to do with a call before it is passed on; it may wait, and what it gives is answered instead. */
  intercept: (call: string) => Promise<Intercepted | undefined>;
  /** How far the service's clock seems to be ahead, in milliseconds. */
  aheadMs: number;
  /** The service that calls are passed on to. */
  target: string;
  /** Whether answers tell the store, which a service of the specification does not. */
  tellsStore: boolean;
}

/** Whether a call may change something that definitions declare. */
export const isWrite = (call: string): boolean =>
  !call.startsWith('GET ') &&
  call !== 'POST /api/v2/snapshot' &&
  call !== 'PATCH /api/v2/declaration' &&
  !call.includes(' /api/v2/lease');

/** Stands between the command and the service, and writes down each call. */
export async function startRecordingProxy(target: string): Promise<RecordingProxy> {
  const calls: string[] = [];
  const intercept: RecordingProxy['intercept'] = () => Promise.resolve(undefined);
  const proxy = { calls, intercept, aheadMs: 0, target, tellsStore: true };
  const server = createServer((incoming, outgoing) => {
    const call = `${incoming.method ?? ''} ${incoming.url ?? ''}`;
    calls.push(call);
    void proxy.intercept(call).then((answer) => {
      if (answer === undefined) pass(incoming, outgoing);
      else outgoing.writeHead(answer.status, answer.headers).end(answer.body);
    });
  });
  function pass(incoming: IncomingMessage, outgoing: ServerResponse): void {
    const { method, url, headers } = incoming;
    const { hostname, port } = new URL(proxy.target);
    const passed = request({ hostname, port, path: url, method, headers }, (answer) => {
      const date = new Date(Date.now() + proxy.aheadMs).toUTCString();
      const { [storeHeader]: store, ...others } = answer.headers;
      const told = proxy.tellsStore && store !== undefined ? { ...others, [storeHeader]: store } : others;
      outgoing.writeHead(answer.statusCode ?? 502, proxy.aheadMs === 0 ? told : { ...told, date });
      answer.pipe(outgoing);
    });
    passed.on('error', () => outgoing.destroy());
    incoming.pipe(passed);
  }
  const own = await listenOn(server);
  return Object.assign(proxy, {
    url: `http://127.0.0.1:${own}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  });
}
