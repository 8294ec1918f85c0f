import { Agent, createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import { listenOn } from '../../support/relay.ts';

/** What goes wrong with one call. After a stop nothing gets through any more, as when the process that calls was killed. */
export const faults = [
  'stop before',
  'stop after',
  '409',
  '429',
  '500 before commit',
  '500 after commit',
  'cut after commit',
] as const;
export type Fault = (typeof faults)[number];

export interface FaultProxy extends AsyncDisposable {
  readonly url: string;
  /** How many calls that write have come since the last arming. */
  readonly writes: () => number;
  /** Lets one call go wrong: the one after so many others that write. Undefined: all goes well from here on. */
  arm: (fault: { kind: Fault; after: number } | undefined) => void;
}

interface Received {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

/**
 * Stands between the engine and the real service.
 *
 * @param onWritten called after each call that was really made and may have changed something, before it is answered: `PUT /…`
 */
export async function startFaultProxy(
  target: string,
  onWritten: (request: string) => Promise<void>,
): Promise<FaultProxy> {
  const agent = new Agent({ keepAlive: true });
  const origin = new URL(target);
  let armed: { kind: Fault; after: number } | undefined;
  let writes = 0;
  let stopped = false;

  const server = createServer((incoming, outgoing) => {
    void handle(incoming, outgoing).catch(() => outgoing.destroy());
  });

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await readAll(incoming);
    if (stopped) {
      cut(outgoing);
      return;
    }
    // A comparison of passwords is a reading, too.
    if (incoming.method === 'GET' || incoming.url?.endsWith('/snapshot') === true) {
      answer(outgoing, await pass(incoming, body));
      return;
    }
    const fault = armed?.after === writes ? armed.kind : undefined;
    writes += 1;
    if (fault !== undefined) armed = undefined;
    switch (fault) {
      case 'stop before':
        stopped = true;
        {
          cut(outgoing);
          return;
        }
      case '409': {
        answer(outgoing, problem(409, 'conflict'));
        return;
      }
      case '429': {
        answer(outgoing, problem(429, 'rate_limited', { 'retry-after': '1' }));
        return;
      }
      case '500 before commit': {
        answer(outgoing, problem(500, 'internal_error'));
        return;
      }
      default:
    }
    const received = await pass(incoming, body);
    await onWritten(`${incoming.method} ${incoming.url}`);
    switch (fault) {
      case 'stop after':
        stopped = true;
        {
          cut(outgoing);
          return;
        }
      case 'cut after commit': {
        cut(outgoing);
        return;
      }
      case '500 after commit': {
        answer(outgoing, problem(500, 'internal_error'));
        return;
      }
      default: {
        answer(outgoing, received);
        return;
      }
    }
  }

  function pass({ method, url, headers }: IncomingMessage, body: Buffer): Promise<Received> {
    return new Promise((resolve, reject) => {
      const { hostname, port } = origin;
      const passed = request({ agent, hostname, port, path: url, method, headers }, (response) => {
        readAll(response).then((read) => {
          resolve({ status: response.statusCode ?? 502, headers: response.headers, body: read });
        }, reject);
      });
      passed.on('error', reject);
      passed.end(body);
    });
  }

  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    writes: () => writes,
    arm(fault) {
      armed = fault;
      writes = 0;
      stopped = false;
    },
    async [Symbol.asyncDispose]() {
      agent.destroy();
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

function problem(status: number, code: string, headers: Record<string, string> = {}): Received {
  const detail = { type: 'about:blank', title: 'injected', status, code, detail: 'injected by the test' };
  return {
    status,
    headers: { 'content-type': 'application/problem+json', ...headers },
    body: Buffer.from(JSON.stringify(detail)),
  };
}

function cut(outgoing: ServerResponse): void {
  outgoing.destroy();
}

function answer(outgoing: ServerResponse, { status, headers, body }: Received): void {
  outgoing.writeHead(status, headers).end(body);
}

async function readAll(stream: IncomingMessage): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
}
