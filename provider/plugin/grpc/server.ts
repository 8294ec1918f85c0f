import type { Http2SecureServer, Http2Server, ServerHttp2Session, ServerHttp2Stream } from 'node:http2';
import type { TLSSocket } from 'node:tls';
import { frame, GrpcError, grpcStatus, maxMessage, unframe } from './frame.ts';

/**
 * Node's HTTP/2, read when it is first asked for: the snapshot from which the executable starts is made before that, and
 * cannot hold it.
 */
const http2 = () => process.getBuiltinModule('node:http2');

/** Answers one call: takes the request's message, gives those of the response. */
export type Method = (message: Buffer) => Promise<Buffer> | AsyncIterable<Buffer>;

/** The methods of one connection, by path: `/tfplugin6.Provider/GetProviderSchema`. */
export type Methods = (path: string) => Method | undefined;

/** Likewise, where code may have to be read first. */
export type LazyMethods = (path: string) => Method | undefined | Promise<Method | undefined>;

export interface Tls {
  readonly key: string;
  readonly cert: string;
  /** The DER of the one certificate whose holder may call. */
  readonly client: Buffer;
}

export interface GrpcServer {
  readonly server: Http2Server | Http2SecureServer;
  readonly answered: Calls['answered'];
}

/**
 * A gRPC server on HTTP/2. Each connection has methods of its own, so that two of Terraform's providers that share this
 * process (which only happens when it attaches to a running one) share nothing else.
 */
export function createGrpcServer(
  open: () => LazyMethods,
  tls: Tls | undefined,
  onError: (error: unknown) => void,
): GrpcServer {
  const calls = trackCalls();
  const settings = { initialWindowSize: 1024 * 1024, maxConcurrentStreams: 1000 };
  // In megabytes. At Node's 10, Terraform's calls are refused while it reads one long list.
  const maxSessionMemory = 4096;
  const server =
    tls === undefined
      ? http2().createServer({ settings, maxSessionMemory })
      : http2().createSecureServer({
          settings,
          maxSessionMemory,
          key: tls.key,
          cert: tls.cert,
          minVersion: 'TLSv1.2',
          requestCert: true,
          // The certificate is compared itself, below: there is no authority to trust, and loading a store costs 40 ms.
          rejectUnauthorized: false,
          ca: [],
        });
  server.on('session', (session: ServerHttp2Session) => {
    session.on('error', onError);
    if (tls !== undefined && !isClient(session, tls.client)) {
      session.destroy(undefined, http2().constants.NGHTTP2_INADEQUATE_SECURITY);
      return;
    }
    const methods = open();
    session.on('stream', (stream, headers) => {
      stream.on('error', onError);
      whenRead(stream, (body) => {
        calls.begin(stream);
        serve(stream, headers[':path'] ?? '', methods, body).catch((error: unknown) => {
          onError(error);
          fail(stream, error);
        });
      });
    });
  });
  server.on('sessionError', onError);
  return { server, answered: calls.answered };
}

function isClient(session: ServerHttp2Session, expected: Buffer): boolean {
  // Only the secure server hands out sessions when there is a certificate to compare, and theirs are sockets of TLS.
  const { raw } = (session.socket as TLSSocket).getPeerCertificate() as { raw?: Buffer };
  return raw?.equals(expected) === true;
}

/** By events: iterating over a stream costs more than all the rest of a call. */
function whenRead(stream: ServerHttp2Stream, done: (body: readonly Buffer[]) => void): void {
  const body: Buffer[] = [];
  let size = 0;
  stream.on('data', (chunk: Buffer) => {
    size += chunk.length;
    if (size <= maxMessage) body.push(chunk);
    else stream.close(http2().constants.NGHTTP2_ENHANCE_YOUR_CALM);
  });
  stream.on('end', () => {
    if (size <= maxMessage) done(body);
  });
}

async function serve(
  stream: ServerHttp2Stream,
  path: string,
  methods: LazyMethods,
  body: readonly Buffer[],
): Promise<void> {
  const method = await methods(path);
  if (method === undefined) throw new GrpcError(grpcStatus.unimplemented, `${path} is not served`);
  const answer = method(unframe(body));
  if (!(Symbol.asyncIterator in answer)) {
    const message = await answer;
    respond(stream);
    stream.end(frame(message));
    return;
  }
  respond(stream);
  for await (const message of answer) stream.write(frame(message));
  stream.end();
}

function respond(stream: ServerHttp2Stream): void {
  stream.on('wantTrailers', sendOk);
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
}

function sendOk(this: ServerHttp2Stream): void {
  this.sendTrailers({ 'grpc-status': String(grpcStatus.ok) });
}

function fail(stream: ServerHttp2Stream, error: unknown): void {
  if (stream.destroyed || stream.closed) return;
  const status = error instanceof GrpcError ? error.status : grpcStatus.internal;
  if (stream.headersSent) {
    stream.close(http2().constants.NGHTTP2_INTERNAL_ERROR);
    return;
  }
  const message = encodeURIComponent(error instanceof Error ? error.message : String(error));
  stream.respond(
    { ':status': 200, 'content-type': 'application/grpc', 'grpc-status': String(status), 'grpc-message': message },
    { endStream: true },
  );
}

/** The calls that were read and have no answer yet. */
interface Calls {
  readonly begin: (stream: ServerHttp2Stream) => void;
  /** Resolves as soon as there is none. */
  readonly answered: () => Promise<void>;
}

/** A call without an end, such as the stream of go-plugin's broker, does not count: it is never read to its end. */
function trackCalls(): Calls {
  const open = new Set<ServerHttp2Stream>();
  let waiting: (() => void)[] = [];
  const tell = (): void => {
    if (open.size > 0) return;
    for (const resolve of waiting) resolve();
    waiting = [];
  };
  return {
    begin: (stream) => {
      open.add(stream);
      stream.on('close', () => {
        open.delete(stream);
        // A stream is closed just before its last frames are written.
        setImmediate(tell);
      });
    },
    answered: async () => {
      if (open.size === 0) return;
      await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}
