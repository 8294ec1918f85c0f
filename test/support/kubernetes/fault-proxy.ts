import { once } from 'node:events';
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  createSecureServer,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import type { Apiserver } from './apiserver.ts';

/** What becomes of one request. */
export type Fault =
  /** Answered by the proxy. */
  | { readonly answer: number; readonly headers?: Record<string, string>; readonly body?: unknown }
  /** Passed on so much later. */
  | { readonly delayMs: number }
  /** Passed on; the connection is cut instead of the answer. */
  | 'lost answer'
  /** Neither passed on nor answered. */
  | 'no answer'
  /** A watch that is answered, and never sends anything. */
  | 'silent watch';

export interface ProxiedRequest {
  readonly method: string;
  readonly path: string;
}

/** A proxy before an API server, which looks just like it and does to requests what a test says. */
export interface FaultProxy {
  readonly url: string;
  /** Decides for each request; undefined passes it on. */
  fault: (request: ProxiedRequest) => Fault | undefined;
  /** Every request that came, in order. */
  readonly requests: readonly ProxiedRequest[];
  /** Cuts all connections. */
  readonly cut: () => void;
  /** Lets the connections that are open hang: nothing more comes through, and nobody is told. New ones are well. */
  readonly hang: () => void;
  /** Whether connections are refused. */
  readonly down: (isDown: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts one. Bytes go through a relay, where connections are cut, and requests through an HTTP/2 server behind it. */
export async function startFaultProxy(apiserver: Apiserver): Promise<FaultProxy> {
  const upstream = openUpstream(apiserver);
  const requests: ProxiedRequest[] = [];
  const server = createSecureServer({ key: apiserver.key, cert: apiserver.ca });
  const relay = await startRelay(await listenOn(server));
  const proxy: FaultProxy = {
    url: `https://127.0.0.1:${relay.port}`,
    fault: () => undefined,
    requests,
    cut: relay.cut,
    hang: relay.hang,
    down: relay.down,
    stop: async () => {
      await relay.stop();
      upstream.close();
      server.close();
    },
  };
  server.on('session', (session) => session.on('error', () => undefined));
  server.on('stream', (stream: ServerHttp2Stream, headers) => {
    stream.on('error', () => undefined);
    const request = { method: String(headers[':method']), path: String(headers[':path']) };
    requests.push(request);
    const fault = proxy.fault(request);
    if (fault === 'no answer') return;
    if (fault === 'silent watch') {
      stream.respond({ ':status': 200, 'content-type': 'application/json' });
      return;
    }
    if (typeof fault === 'object' && 'answer' in fault) {
      stream.respond({ ':status': fault.answer, 'content-type': 'application/json', ...fault.headers });
      stream.end(JSON.stringify(fault.body ?? { kind: 'Status', code: fault.answer, message: 'a fault of the test' }));
      return;
    }
    const pass = (): void => {
      passOn(stream, headers, upstream.session(), fault === 'lost answer' ? relay.cut : undefined);
    };
    if (fault === undefined || fault === 'lost answer') pass();
    else setTimeout(pass, fault.delayMs);
  });
  return proxy;
}

function openUpstream({ url, ca }: Apiserver) {
  let session: ClientHttp2Session | undefined;
  return {
    session: () => {
      if (session === undefined || session.closed || session.destroyed) {
        session = connectHttp2(url, { ca }).on('error', () => undefined);
      }
      return session;
    },
    close: () => session?.destroy(),
  };
}

function passOn(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  upstream: ClientHttp2Session,
  cutInstead: (() => void) | undefined,
): void {
  if (stream.destroyed) return;
  const { ':authority': _authority, ...rest } = headers;
  const onward = upstream.request(rest);
  onward.on('error', () => {
    stream.close();
  });
  stream.pipe(onward);
  stream.on('close', () => {
    onward.close();
  });
  onward.on('response', (answer) => {
    if (cutInstead !== undefined) {
      onward.resume().on('end', cutInstead);
      return;
    }
    if (stream.destroyed) return;
    const { ':status': status, 'content-type': type, 'retry-after': after } = answer;
    stream.respond({
      ':status': status,
      'content-type': type,
      ...(after === undefined ? {} : { 'retry-after': after }),
    });
    onward.pipe(stream);
  });
}

async function startRelay(target: number) {
  const pairs = new Set<readonly [Socket, Socket]>();
  const hung = new Set<Socket>();
  const relay = createServer((inner) => {
    const outer = connect(target, '127.0.0.1');
    const pair = [inner, outer] as const;
    pairs.add(pair);
    for (const socket of pair) {
      socket.on('error', () => undefined);
      socket.on('close', () => {
        pairs.delete(pair);
        for (const one of pair) one.destroy();
      });
    }
    inner.pipe(outer);
    outer.pipe(inner);
  });
  const port = await listenOn(relay);
  const cut = (): void => {
    for (const pair of [...pairs]) for (const socket of pair) socket.destroy();
  };
  return {
    port,
    cut,
    hang: () => {
      for (const pair of pairs) {
        for (const socket of pair) {
          socket.unpipe();
          socket.pause();
          hung.add(socket);
        }
      }
    },
    down: async (isDown: boolean) => {
      if (isDown) {
        const closed = once(relay, 'close');
        relay.close();
        cut();
        await closed;
      } else {
        relay.listen(port, '127.0.0.1');
        await once(relay, 'listening');
      }
    },
    stop: async () => {
      for (const socket of hung) socket.destroy();
      cut();
      if (!relay.listening) return;
      const closed = once(relay, 'close');
      relay.close();
      await closed;
    },
  };
}

async function listenOn(server: Pick<Server, 'listen' | 'address'> & NodeJS.EventEmitter): Promise<number> {
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  // Listening on a port, it has an address with one.
  return (server.address() as AddressInfo).port;
}
