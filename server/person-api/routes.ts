import { type PersonOperationId, personOperationIds, personRouteTable } from '@rolecall/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../http/connections.ts';
import { bodyLimit } from '../http/limits/limits.ts';
import { chooseAnswerType, rawRequest, requestParser } from '../http/messages/parse-request.ts';
import { send, sendProblem } from '../http/messages/send-answer.ts';
import type { CheckAnswer } from '../http/routes.ts';
import { methodsOf } from '../http/unknown-route.ts';
import type { LiveSession } from '../sign-in/sessions.ts';
import { requireAdministrator } from './administrator.ts';
import { isFromElsewhere, requireSession } from './caller.ts';
import { Cookie } from './cookie.ts';
import {
  OwnAnswer,
  type PersonAsker,
  type PersonContext,
  type PersonHandler,
  type PersonHandlers,
  type PersonServices,
} from './handler.ts';
import { requireOwned } from './owned.ts';
import { personStore } from './person-store.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The session of the person who sends the request. */
    personSession: LiveSession | undefined;
  }
}

/** The largest body that an unknown caller can send, in bytes. */
const unknownBodyLimit = 16 * 1024;

export interface PersonRouteParts {
  readonly handlers: PersonHandlers;
  readonly services: PersonServices;
  /** Refuses a caller who sends too many requests: a person, or the network of an unknown caller. @throws Refusal */
  readonly limitRate: (caller: string) => void;
  /** Holds every answer to its schema, in tests. */
  readonly checkAnswer?: CheckAnswer;
}

/** Registers every operation of the person's API. */
export function registerPersonRoutes(app: FastifyInstance, parts: PersonRouteParts): void {
  app.decorateRequest('personSession', undefined);
  for (const id of personOperationIds) registerRoute(app, id, parts.handlers[id], parts);
}

function registerRoute<Id extends PersonOperationId>(
  app: FastifyInstance,
  id: Id,
  handle: PersonHandler<Id>,
  { services, limitRate, checkAnswer }: PersonRouteParts,
): void {
  const route = personRouteTable[id];
  const parse = requestParser(route);

  const answer = async (request: FastifyRequest, reply: FastifyReply): Promise<void> => {
    const parsed = parse(rawRequest(request));
    const session = request.personSession;
    const context = contextOf(id, request, reply, services);
    if (session !== undefined) {
      const refused = (dataSource: string, reason: string) =>
        context.store.note([{ kind: 'data_source', id: dataSource, action: 'access refused', after: { reason } }]);
      const parts = { store: services.store, gate: services.gate, refused };
      await requireOwned(route, parsed.params as Record<string, unknown>, session.person.id, parts);
    }
    // The types of the operation describe the result of its schemas, and the session that its rule demands.
    const result = await handle(
      parsed as Parameters<typeof handle>[0],
      context,
      session as Parameters<typeof handle>[2],
    );
    if (result instanceof OwnAnswer) {
      await result.send(reply);
      return;
    }
    checkAnswer?.(route, result);
    send(request, reply, result, services);
  };

  app.route({
    method: methodsOf(route),
    url: route.path,
    config: { isVisited: route.sends?.includes('redirect') === true },
    bodyLimit: route.session === 'none' ? unknownBodyLimit : bodyLimit,
    // Before the body is read: an unknown caller cannot make the service hold a large one.
    onRequest: (request) => admit(request),
    handler: (request, reply) => {
      answer(request, reply).catch((error: unknown) => {
        sendProblem(error, request, reply);
      });
    },
  });

  async function admit(request: FastifyRequest): Promise<void> {
    if (route.session === 'none') limitRate(`network ${networkOf(request.ip)}`);
    const session = await requireSession(route, request.headers, services);
    request.personSession = session;
    if (session !== undefined) limitRate(`person ${session.person.id}`);
    if (session !== undefined && route.admin === true) await requireAdministrator(session.person.id, services);
    if (route.sends === undefined) chooseAnswerType(request);
  }
}

function contextOf(
  operation: PersonOperationId,
  request: FastifyRequest,
  reply: FastifyReply,
  services: PersonServices,
): PersonContext {
  const asker: PersonAsker = {
    address: request.ip,
    requestId: request.id,
    client: request.headers['user-agent'] ?? '',
    isFromElsewhere: isFromElsewhere(request.headers),
  };
  const person = request.personSession?.person.id;
  const origin = services.origin() ?? '';
  const cookie = new Cookie(origin);
  const give = (value: string): void => {
    void reply.header('set-cookie', value);
  };
  return {
    ...services,
    store: personStore(services, { operation, person, asker }),
    asker,
    cookie: {
      set: (token) => {
        give(cookie.write(token));
      },
      clear: () => {
        give(cookie.clear());
      },
      read: (purpose) => new Cookie(origin, purpose).read(request.headers.cookie),
      keep: (purpose, value, seconds) => {
        give(new Cookie(origin, purpose).write(value, seconds));
      },
    },
  };
}
