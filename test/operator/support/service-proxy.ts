import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { problemBody, problemCodes, problems, storeHeader } from '@rolecall/api';
import { listenOn, type Relay, startRelay } from '../../support/relay.ts';
import { isWrite, type ProxiedRequest, type RequestFault } from '../../support/request-fault.ts';

/** What was answered to a request that was passed on. */
export interface ServiceRequest extends ProxiedRequest {
  /** Of the real answer; undefined while there is none, and where it was not passed on. */
  status: number | undefined;
  /** Whether that is the answer of an earlier request with the same Idempotency-Key: nothing was done. */
  isReplayed: boolean;
}

/** A proxy before a workspace service, which does to requests what a test says. */
export interface ServiceProxy extends Omit<Relay, 'port'> {
  readonly url: string;
  /** Decides for each request; undefined passes it on. */
  fault: (request: ProxiedRequest) => RequestFault | undefined;
  /** Called after each request that may have changed something, before it is answered. */
  onWritten: (request: ServiceRequest) => Promise<void>;
  /** The service's time of day, as its answers tell it; undefined leaves what they say. */
  now: (() => number) | undefined;
  /** Every request that came, in order. */
  readonly requests: ServiceRequest[];
  /** The service that requests are passed on to. */
  target: string;
  /** Whether answers tell the store, which a service of the specification does not. */
  tellsStore: boolean;
  /** How many requests are under way. */
  readonly inFlight: () => number;
}

export async function startServiceProxy(target: string): Promise<ServiceProxy> {
  const agent = new Agent({ keepAlive: true });
  const requests: ServiceRequest[] = [];
  let inFlight = 0;
  const server = createServer((incoming, outgoing) => {
    inFlight += 1;
    outgoing.once('close', () => {
      inFlight -= 1;
    });
    void handle(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const noted: ServiceRequest = {
      method: incoming.method ?? '',
      path: incoming.url ?? '',
      status: undefined,
      isReplayed: false,
    };
    requests.push(noted);
    const fault = proxy.fault(noted);
    if (fault === 'no answer') return;
    if (fault === 'cut') {
      outgoing.destroy();
      return;
    }
    if (typeof fault === 'object' && 'answer' in fault) {
      const date = proxy.now === undefined ? {} : { date: new Date(proxy.now()).toUTCString() };
      outgoing.writeHead(fault.answer, { 'content-type': 'application/problem+json', ...date, ...fault.headers });
      outgoing.end(JSON.stringify(fault.body ?? problemOf(fault.answer)));
      return;
    }
    if (typeof fault === 'object') await new Promise((resolve) => setTimeout(resolve, fault.delayMs));
    const { status, headers, body } = await pass(incoming, await readAll(incoming));
    noted.status = status;
    noted.isReplayed = headers['idempotency-replayed'] === 'true';
    if (isWrite(noted)) await proxy.onWritten(noted);
    if (fault === 'kept answer') return;
    if (fault === 'lost answer') outgoing.destroy();
    else {
      const date = proxy.now === undefined ? headers.date : new Date(proxy.now()).toUTCString();
      const { [storeHeader]: store, ...others } = headers;
      const told = proxy.tellsStore && store !== undefined ? { [storeHeader]: store } : {};
      outgoing.writeHead(status, { ...others, ...told, date }).end(body);
    }
  }

  function pass({ method, url, headers }: IncomingMessage, body: Buffer) {
    const { hostname, port } = new URL(proxy.target);
    return new Promise<{ status: number; headers: IncomingMessage['headers']; body: Buffer }>((resolve, reject) => {
      const passed = request({ agent, hostname, port, path: url, method, headers }, (response) => {
        readAll(response).then((read) => {
          resolve({ status: response.statusCode ?? 502, headers: response.headers, body: read });
        }, reject);
      });
      passed.on('error', reject);
      passed.end(body);
    });
  }

  const { port: outside, stop, ...relay } = await startRelay(await listenOn(server));
  const proxy: ServiceProxy = {
    url: `http://127.0.0.1:${outside}`,
    fault: () => undefined,
    onWritten: () => Promise.resolve(),
    now: undefined,
    requests,
    target,
    tellsStore: true,
    inFlight: () => inFlight,
    ...relay,
    stop: async () => {
      await stop();
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
}

/** A problem as the service writes them, by its registry. */
function problemOf(status: number) {
  const code = problemCodes.find((one) => problems[one].status === status);
  return code === undefined ? {} : problemBody(code, `the test answers ${status}`);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
