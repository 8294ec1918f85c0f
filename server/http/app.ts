import { randomBytes } from 'node:crypto';
import fastify, { type FastifyInstance, type FastifyRequest, type FastifyServerOptions, LogController } from 'fastify';
import { malformed } from '../refusal.ts';
import { bodyLimit } from './body-limit.ts';
import { answerClientError } from './client-error.ts';
import { type Health, registerProbes } from './probes.ts';
import { type RouteParts, registerRoutes } from './routes.ts';
import { sendProblem } from './send-problem.ts';
import { unknownRoute } from './unknown-route.ts';

/** How long a client may take, in milliseconds: slower ones would hold connections for nothing. */
const limits = { headers: 10_000, request: 30_000, idle: 65_000 };

/** How often Node looks for connections that are over their limits; by itself only every 30 seconds. */
const limitsCheckedEvery = 1000;

/** Longer than any identifier, so that one of the wrong shape gets an error that says so. */
const maxParamLength = 512;

/** Makes the HTTP server, which does not listen yet. @param logger Fastify's options of its logger; false for none */
export function createApp(parts: RouteParts, health: Health, logger: FastifyServerOptions['logger']): FastifyInstance {
  const nextRequestId = requestIds();
  const app = fastify({
    logger: logger ?? false,
    logController: new LogController({ disableRequestLogging: true }),
    genReqId: nextRequestId,
    bodyLimit,
    keepAliveTimeout: limits.idle,
    requestTimeout: limits.request,
    // For a request without Host, Node would answer without a problem.
    http: { requireHostHeader: false, connectionsCheckingInterval: limitsCheckedEvery },
    // While it closes, what arrives on open connections is still answered.
    return503OnClosing: false,
    exposeHeadRoutes: false,
    routerOptions: { maxParamLength, querystringParser: () => ({}) },
    frameworkErrors: (error, request, reply) => {
      sendProblem(error, request, reply);
    },
    clientErrorHandler: (error, socket) => {
      answerClientError(error, socket, nextRequestId());
    },
  });
  app.server.headersTimeout = limits.headers;
  // An expectation that the service does not know is no reason to refuse (RFC 9110, 10.1.1).
  app.server.on('checkExpectation', (request, response) => app.server.emit('request', request, response));
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(null, body);
  });
  app.setErrorHandler((error, request, reply) => {
    // Fastify looks for the body of a method before it looks for the route, and no route takes another method.
    const isUnknown = error instanceof Error && 'code' in error && error.code === 'FST_ERR_ROUTE_MISSING_CONTENT_TYPE';
    sendProblem(isUnknown ? unknownRoute(request.method, request.url) : error, request, reply);
  });
  app.setNotFoundHandler((request, reply) => {
    sendProblem(unknownRoute(request.method, request.url), request, reply);
  });
  if (logger !== undefined && logger !== false) logRequests(app);
  app.addHook('onRequest', (request, reply, done) => {
    if (request.headers.host === undefined && request.raw.httpVersion === '1.1') {
      throw malformed('the Host header is missing');
    }
    // The client's next request belongs to another replica.
    if (health.isClosing()) reply.header('connection', 'close');
    done();
  });
  registerProbes(app, health);
  registerRoutes(app, parts);
  return app;
}

/** One line a request. Neither headers nor bodies, which carry secrets. */
function logRequests(app: FastifyInstance): void {
  app.addHook('onResponse', async (request, reply) => {
    const ms = Math.round(reply.elapsedTime * 10) / 10;
    request.log.info({ ...asked(request), status: reply.statusCode, ms }, 'request');
  });
  app.addHook('onRequestAbort', (request, done) => {
    request.log.info(asked(request), 'request, of which the client did not wait for the end');
    done();
  });
}

function asked({ method, url, keyId }: FastifyRequest) {
  return { method, path: url.split('?', 1)[0], keyId };
}

/** Short, and different from those of another process or another start, since logs are read together. */
function requestIds(): () => string {
  const prefix = randomBytes(4).toString('hex');
  let count = 0;
  return () => `${prefix}-${(count++).toString(36)}`;
}
