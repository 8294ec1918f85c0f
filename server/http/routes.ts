import type { IncomingHttpHeaders } from 'node:http';
import { type OperationId, operationIds, type Route, routeTable, scopeAllows } from '@rolecall/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { reachesFurther, requireOwn } from '../handlers/existing.ts';
import type { Handler, Handlers, Services } from '../handlers/handler.ts';
import { limitedLists } from '../list-cache.ts';
import { Refusal } from '../refusal.ts';
import type { Authenticate, Identity } from './authenticate.ts';
import { bodyLimit, bodyLimits } from './body-limit.ts';
import type { CheckAnswer } from './check-answer.ts';
import { methodsOf } from './methods.ts';
import { type AnswerType, negotiate } from './negotiate.ts';
import { requestParser } from './parse-request.ts';
import { send } from './send-answer.ts';
import { sendProblem } from './send-problem.ts';
import { storeMaker } from './store-of-request.ts';

declare module 'fastify' {
  interface FastifyRequest {
    answerType: AnswerType;
    /** The API key that the request was made with; for the log. */
    keyId: string | undefined;
    /** What its maker calls it; for the audit trail. */
    keyName: string | null;
    /** What the key is limited to; undefined for everything. */
    dataSources: ReadonlySet<string> | undefined;
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
  app.decorateRequest('keyName', null);
  app.decorateRequest('dataSources', undefined);
  for (const id of operationIds) registerRoute(app, id, parts.handlers[id], parts);
}

function registerRoute<Id extends OperationId>(
  app: FastifyInstance,
  id: Id,
  handle: Handler<Id>,
  parts: RouteParts,
): void {
  const { services, authenticate, checkAnswer } = parts;
  const route = routeTable[id];
  const parse = requestParser(id);
  const storeOf = storeMaker(id, parts);
  app.route({
    method: methodsOf(route),
    url: route.path,
    bodyLimit: bodyLimits[id] ?? bodyLimit,
    // Before the body is read: nobody without a key makes the service hold one.
    onRequest: (request, _reply, done) => {
      if (route.scope === 'none') {
        chooseAnswerType(request);
        done();
        return;
      }
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
      const store = storeOf(request, parsed);
      const { dataSources, keyId = '' } = request;
      const asker = { address: request.ip, requestId: request.id };
      const context = { ...services, store, keyId, asker };
      const limited = async (own: ReadonlySet<string>) => {
        await requireOwn(services.store, route, parsed.params, own);
        return handle(parsed, route.limitedKeys === 'list' ? { ...context, lists: limitedLists(store, own) } : context);
      };
      (dataSources === undefined ? handle(parsed, context) : limited(dataSources))
        .then((answer) => {
          checkAnswer?.(id, answer);
          send(request, reply, answer, services);
        })
        .catch((error: unknown) => {
          sendProblem(error, request, reply);
        });
    },
  });
}

function admit(request: FastifyRequest, { scope, limitedKeys }: Route, identity: Identity): void {
  request.keyId = identity.keyId;
  request.keyName = identity.keyName;
  request.dataSources = identity.dataSources;
  if (!scopeAllows(identity.scope, scope)) {
    throw new Refusal('insufficient_scope', `the operation needs the scope ${scope}; the key has ${identity.scope}`);
  }
  if (identity.dataSources !== undefined && limitedKeys === 'refused') throw reachesFurther();
  chooseAnswerType(request);
}

function chooseAnswerType(request: FastifyRequest): void {
  const type = negotiate(request.headers.accept);
  if (type === undefined) {
    throw new Refusal('not_acceptable', 'the service answers in application/vnd.service.v2+json or application/json');
  }
  request.answerType = type;
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
    unread: (request.method === 'GET' || request.method === 'HEAD') && announcesBody(headers),
  };
}

function announcesBody(headers: IncomingHttpHeaders): boolean {
  return headers['transfer-encoding'] !== undefined || (headers['content-length'] ?? '0') !== '0';
}
