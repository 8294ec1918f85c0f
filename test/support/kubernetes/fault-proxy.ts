import {
  type ClientHttp2Session,
  connect as connectHttp2,
  createSecureServer,
  type Http2Session,
  type IncomingHttpHeaders,
  type ServerHttp2Stream,
} from 'node:http2';
import { listenOn, startRelay } from '../relay.ts';
import type { ProxiedRequest, RequestFault } from '../request-fault.ts';
import type { Apiserver } from './apiserver.ts';
import { relayEvents, type WatchFault } from './watch-fault.ts';

/** What becomes of one request. */
export type Fault =
  | RequestFault
  /** A watch that is answered, and never sends anything. */
  | 'silent watch'
  /** A watch whose events are held back, put in another order or left out. */
  | { readonly events: WatchFault };

/** A proxy before an API server, which looks just like it and does to requests what a test says. */
export interface FaultProxy {
  readonly url: string;
  /** Decides for each request; undefined passes it on. */
  fault: (request: ProxiedRequest) => Fault | undefined;
  /** Every request that came, in order. */
  readonly requests: readonly ProxiedRequest[];
  /** How many requests are under way, watches aside. */
  readonly inFlight: () => number;
  /** Cuts all connections. */
  readonly cut: () => void;
  /** Lets the connections that are open hang: nothing more comes through, and no one is told. New ones are well. */
  readonly hang: () => void;
  /** Whether connections are refused. */
  readonly down: (isDown: boolean) => Promise<void>;
  readonly stop: () => Promise<void>;
}

/** Starts one. Bytes go through a relay, where connections are cut, and requests through an HTTP/2 server behind it. */
export async function startFaultProxy(apiserver: Apiserver): Promise<FaultProxy> {
  const upstream = openUpstream(apiserver);
  const requests: ProxiedRequest[] = [];
  let inFlight = 0;
  const server = createSecureServer({ key: apiserver.key, cert: apiserver.ca });
  const relay = await startRelay(await listenOn(server));
  const proxy: FaultProxy = {
    url: `https://127.0.0.1:${relay.port}`,
    fault: () => undefined,
    requests,
    inFlight: () => inFlight,
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
    if (!isWatch(request)) {
      inFlight += 1;
      stream.once('close', () => {
        inFlight -= 1;
      });
    }
    const fault = proxy.fault(request);
    if (fault === 'no answer') return;
    if (fault === 'cut') {
      relay.cut();
      return;
    }
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
      passOn(stream, headers, upstream.session(stream.session), fault, relay.cut);
    };
    if (typeof fault === 'object' && 'delayMs' in fault) setTimeout(pass, fault.delayMs);
    else pass();
  });
  return proxy;
}

/** One connection for each that comes in, so that each has the number of streams that the API server allows. */
function openUpstream({ url, ca }: Apiserver) {
  const sessions = new Map<Http2Session | undefined, ClientHttp2Session>();
  return {
    session: (incoming: Http2Session | undefined) => {
      const known = sessions.get(incoming);
      if (known !== undefined && !known.closed && !known.destroyed) return known;
      const made = connectHttp2(url, { ca }).on('error', () => undefined);
      sessions.set(incoming, made);
      incoming?.once('close', () => {
        sessions.delete(incoming);
        made.destroy();
      });
      return made;
    },
    close: () => {
      for (const session of sessions.values()) session.destroy();
    },
  };
}

export const isWatch = ({ path }: ProxiedRequest): boolean => path.includes('watch=1');

function passOn(
  stream: ServerHttp2Stream,
  headers: IncomingHttpHeaders,
  upstream: ClientHttp2Session,
  fault: Fault | undefined,
  cut: () => void,
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
    if (fault === 'lost answer' || fault === 'kept answer') {
      onward.resume().on('end', () => {
        if (fault === 'lost answer') cut();
      });
      return;
    }
    if (stream.destroyed) return;
    const { ':status': status, 'content-type': type, 'retry-after': after } = answer;
    stream.respond({
      ':status': status,
      'content-type': type,
      ...(after === undefined ? {} : { 'retry-after': after }),
    });
    if (typeof fault === 'object' && 'events' in fault) relayEvents(onward, stream, fault.events);
    else onward.pipe(stream);
  });
}
