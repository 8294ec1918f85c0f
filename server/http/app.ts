import { randomBytes } from 'node:crypto';
import {
  createServer as createHttpServer,
  type IncomingMessage,
  type RequestListener,
  type ServerOptions,
} from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { Socket } from 'node:net';
import { jsonMediaType } from '@rolecall/api';
import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type FastifyServerOptions,
  LogController,
} from 'fastify';
import { type PersonRouteParts, registerPersonRoutes } from '../person-api/routes.ts';
import { malformed } from '../refusal.ts';
import { type Page, registerPage } from '../web/page.ts';
import { oneAtATime } from './connections.ts';
import { bodyLimit, timeLimits } from './limits/limits.ts';
import { answerClientError } from './messages/client-error.ts';
import { securityHeaders } from './messages/security-headers.ts';
import { sendProblem } from './messages/send-answer.ts';
import { registerMetrics } from './metrics-page.ts';
import { type Health, registerProbes } from './probes.ts';
import { type RouteParts, registerRoutes } from './routes.ts';
import { secureContext, type TlsPair } from './tls.ts';
import { unknownRoute } from './unknown-route.ts';
import { type RequestWatch, type WatchParts, watchRequests } from './watch-requests.ts';

/** Longer than any identifier: one of the wrong shape still reaches its route, whose error says what is wrong. */
const maxParamLength = 512;

export interface AppOptions extends WatchParts {
  readonly health: Health;
  /** Fastify's options of its logger; false for none. */
  readonly logger: FastifyServerOptions['logger'];
  /** Undefined for plain HTTP. */
  readonly tls: TlsPair | undefined;
  /** True if browsers reach the service by https, here or at a proxy. */
  readonly isHttps: boolean;
  /** Addresses and networks whose X-Forwarded-For is believed. */
  readonly trustedProxies: readonly string[];
  readonly maxConnections: number;
  /** The page that people work in; undefined if it was not built. */
  readonly page: Page | undefined;
}

/** The two APIs: for keys, and for people. */
export interface AppParts extends RouteParts {
  readonly people: PersonRouteParts;
}

/** Makes the HTTP server, which does not listen yet. */
export function createApp(parts: AppParts, options: AppOptions): { app: FastifyInstance; watch: RequestWatch } {
  const { health, logger, metrics, trustedProxies } = options;
  const nextRequestId = requestIds();
  const headers = securityHeaders(options.isHttps);
  const common = {
    logger: logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    bodyLimit,
    // While it closes, what arrives on open connections is still answered.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength, querystringParser: () => ({}) },
    trustProxy: trustedProxies.length > 0 && [...trustedProxies],
    frameworkErrors: (error: unknown, request: FastifyRequest, reply: FastifyReply) => {
      sendProblem(error, request, reply.headers(headers));
      watch.unrouted(request.method, reply.statusCode);
    },
    clientErrorHandler: (error: Error & { code?: string }, socket: Socket) => {
      const status = answerClientError(error, socket, { requestId: nextRequestId(), headers });
      if (status !== undefined) watch.unrouted(undefined, status);
    },
  };
  const { page } = options;
  const unknown = ({ method, url }: FastifyRequest) => unknownRoute(method, url, page?.paths ?? []);
  const app = createServer(common, options);
  app.setErrorHandler((error, request, reply) => {
    // Fastify would close the connection, and a client that is still sending would get a reset instead of the answer. The rest
    // of the body is read and dropped, within the time limit of a request.
    if (isCode(error, 'FST_ERR_CTP_BODY_TOO_LARGE') && app.server.listening) reply.removeHeader('connection');
    // Fastify asks for the content type of an unknown method's body before it looks for a route.
    const isUnknown = isCode(error, 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE');
    sendProblem(isUnknown ? unknown(request) : error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(unknown(request), request, reply);
    watch.unrouted(request.method, reply.statusCode);
  });
  if (logger !== undefined && logger !== false) logRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    void reply.headers(headers);
    // What follows such a request on its connection may be part of it.
    if (isAmbiguous(request.raw)) {
      void reply.header('connection', 'close');
      throw malformed(
        'the request must be HTTP/1.1 or HTTP/1.0, and its only Transfer-Encoding "chunked", in HTTP/1.1',
      );
    }
    checkSingleHeaders(request.raw);
    // Before the body is read: without a route, no key and no share would bound what a client makes the service hold.
    if (request.is404) {
      sendProblem(unknown(request), request, reply);
      watch.unrouted(request.method, reply.statusCode);
      return;
    }
    // Sends the client's next request to another replica. Only once the service has stopped listening: before that, a client
    // could reconnect here at the moment the service stops.
    if (!app.server.listening) reply.header('connection', 'close');
    done();
  });
  const watch = watchRequests(app, options);
  registerProbes(app, health);
  registerMetrics(app, metrics.render, parts.authenticate);
  app.decorateRequest('answerType', jsonMediaType);
  registerRoutes(app, parts);
  registerPersonRoutes(app, parts.people);
  if (page !== undefined) registerPage(app, page);
  return { app, watch };
}

function createServer(common: FastifyServerOptions, { tls, maxConnections }: AppOptions): FastifyInstance {
  // For a request without Host, Node would answer without a problem.
  const http: ServerOptions = { requireHostHeader: false, connectionsCheckingInterval: timeLimits.lookedEvery };
  const https = tls && { ...http, ...secureContext(tls), handshakeTimeout: timeLimits.handshake };
  // One server, also for `localhost`: the second one that Fastify would make for it has none of the limits.
  const serverFactory = (handle: RequestListener) => {
    const server =
      https === undefined ? createHttpServer(http, oneAtATime(handle)) : createHttpsServer(https, oneAtATime(handle));
    server.keepAliveTimeout = timeLimits.idle;
    server.requestTimeout = timeLimits.request;
    return server;
  };
  // The types differ only in that of `server`, with or without TLS.
  const app: FastifyInstance = fastify({
    ...(common as object),
    ...(https === undefined ? {} : { https }),
    serverFactory,
  });
  app.server.maxConnections = maxConnections;
  app.server.headersTimeout = timeLimits.headers;
  // An expectation that the service does not know is no reason to refuse (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  return app;
}

function isCode(error: unknown, code: string): boolean {
  return error instanceof Error && 'code' in error && error.code === code;
}

/**
 * True if a proxy could see the end of a body elsewhere than Node does: Node takes any coding before `chunked` and ignores it, takes
 * `chunked` in HTTP/1.0, which does not have it, and takes the start of HTTP/2 for a request (RFC 9112, 6.1).
 */
function isAmbiguous({ headers, httpVersion }: IncomingMessage): boolean {
  const { 'transfer-encoding': coding } = headers;
  if (coding === undefined) return httpVersion !== '1.1' && httpVersion !== '1.0';
  return httpVersion !== '1.1' || coding.toLowerCase() !== 'chunked';
}

const singleHeaders = new Set(['host', 'authorization', 'content-type', 'content-encoding', 'idempotency-key']);

/** @throws Refusal unless there is one Host header, which HTTP/1.0 may leave out (RFC 9112, 3.2), and of others at most one */
function checkSingleHeaders({ headers, httpVersion, rawHeaders }: IncomingMessage): void {
  if (headers.host === undefined && httpVersion === '1.1') throw malformed('the Host header is missing');
  // Most requests have each header once.
  if (rawHeaders.length === 2 * Object.keys(headers).length) return;
  // Node keeps the first of several. A proxy that keeps the last would act on another host, key or condition.
  const seen = new Set<string>();
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const name = rawHeaders[at]?.toLowerCase() ?? '';
    if (!singleHeaders.has(name)) continue;
    if (seen.has(name)) throw malformed(`there is more than one ${name} header`);
    seen.add(name);
  }
}

/** One line a request. Neither headers nor bodies, which carry secrets. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.info({ ...asked(request), status: reply.statusCode, ms }, 'request');
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info(asked(request), 'request aborted by the client');
    done();
  });
}

function asked({ method, url, keyId, personSession, ip }: FastifyRequest) {
  return { method, path: url.split('?', 1)[0], keyId, person: personSession?.person.id, ip };
}

/** Short, and unique across processes and restarts, since their logs are read together. */
function requestIds(): () => string {
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
