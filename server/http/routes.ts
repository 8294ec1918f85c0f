import type { IncomingHttpHeaders } from 'node:http';
import { type OperationId, operationIds, type Route, routeTable, scopeAllows } from '@rolecall/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Context, Handler, Handlers, Services } from '../handlers/handler.ts';
import { requestStore } from '../handlers/request-store.ts';
import { ReadyMade, ReadyStream } from '../ready-made.ts';
import { Refusal } from '../refusal.ts';
import type { Authenticate, Identity } from './authenticate.ts';
import type { CheckAnswer } from './check-answer.ts';
import { asIs, requestIdHeader } from './headers.ts';
import { timeLimits } from './limits.ts';
import { type AnswerType, negotiate } from './negotiate.ts';
import { requestParser } from './parse-request.ts';
import { sendProblem } from './send-problem.ts';

declare module 'fastify' {
  interface FastifyRequest {
    answerType: AnswerType;
    /** The API key that the request was made with; for the log. */
    keyId: string | undefined;
  }
}

export interface RouteParts {
  handlers: Handlers;
  services: Services;
  authenticate: Authenticate;
  /** Holds every answer to its schema, in tests. */
  checkAnswer?: CheckAnswer;
}

/** Registers every operation of the route table. */
export function registerRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.decorateRequest('answerType', 'application/json');
  app.decorateRequest('keyId', undefined);
  for (const id of operationIds) registerRoute(app, id, parts.handlers[id], parts);
}

function registerRoute<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  handle: Handler<Id>,
  { services, authenticate, checkAnswer }: RouteParts,
): void {
  const route = routeTable[id];
  const parse = requestParser(id);
  app.route({
    method: route.alsoMethod === undefined ? route.method : [route.method, route.alsoMethod],
    url: route.path,
    // Before the body is read: nobody without a key makes the service hold one.
    onRequest: (request, _reply, done) => {
      const identity = authenticate(request);
      if (!(identity instanceof Promise)) {
        admit(request, route, identity);
        done();
        return;
      }
      identity
        .then((later) => {
          admit(request, route, later);
        })
        .then(() => {
          done();
        }, done);
    },
    handler: (request, reply) => {
      const parsed = parse(rawRequest(request));
      handle(parsed, contextOf(request, id, services))
        .then((answer) => {
          checkAnswer?.(id, answer);
          send(request, reply, answer);
        })
        .catch((error: unknown) => {
          sendProblem(error, request, reply);
        });
    },
  });
}

function admit(request: FastifyRequest, { scope }: Route, identity: Identity): void {
  request.keyId = identity.keyId;
  if (!scopeAllows(identity.scope, scope)) {
    throw new Refusal('insufficient_scope', `the operation needs the scope ${scope}; the key has ${identity.scope}`);
  }
  const type = negotiate(request.headers.accept);
  if (type === undefined) {
    throw new Refusal('not_acceptable', 'the service answers in application/vnd.service.v2+json or application/json');
  }
  request.answerType = type;
}

function contextOf(request: FastifyRequest, operation: OperationId, services: Services): Context {
  const actor = { type: 'api_key', id: request.keyId ?? '' } as const;
  const asked = { operation, actor, requestId: request.id, keyed: undefined, checkMatch: undefined };
  return { ...services, store: requestStore(services, asked) };
}

function rawRequest(request: FastifyRequest) {
  const { headers } = request;
  const mark = request.url.indexOf('?');
  return {
    params: request.params,
    query: mark === -1 ? '' : request.url.slice(mark + 1),
    contentType: headers['content-type'],
    contentEncoding: headers['content-encoding'],
    bytes: request.body instanceof Buffer ? request.body : undefined,
    unread: request.method === 'GET' && announcesBody(headers),
  };
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}

function send(request: FastifyRequest, reply: FastifyReply, answer: unknown): void {
  void reply
    .header(requestIdHeader, request.id)
    .header('content-type', request.answerType)
    .header('vary', 'accept')
    // Answers may carry passwords, and all of them say who reaches what: no proxy is to keep them.
    .header('cache-control', 'no-store');
  if (answer instanceof ReadyStream) {
    // Nobody may hold a file open by not reading on. Smaller answers are out of the service's hands at once.
    reply.raw.setTimeout(timeLimits.silence);
    void reply.header('content-length', answer.length).send(answer.stream);
    return;
  }
  void reply.serializer(asIs).send(answer instanceof ReadyMade ? answer.bytes : JSON.stringify(answer));
}
