import { type PersonOperationId, type PersonRoute, personOperationIds, personRouteTable } from '@rolecall/api';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { networkOf } from '../http/connections.ts';
import { bodyLimit } from '../http/limits/limits.ts';
import { type PipedOperation, type PipelineParts, registerOperation } from '../http/pipeline.ts';
import type { LiveSession } from '../sign-in/sessions.ts';
import { requireAdministrator } from './administrator.ts';
import { isFromElsewhere, requireSession } from './caller.ts';
import { Cookie } from './cookie.ts';
import type { PersonAsker, PersonContext, PersonHandler, PersonHandlers, PersonServices } from './handler.ts';
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

export interface PersonRouteParts extends PipelineParts {
  readonly handlers: PersonHandlers;
  readonly services: PersonServices;
  /** Refuses a caller who sends too many requests: a person, or the network of an unknown caller. @throws Refusal */
  readonly limitRate: (caller: string) => void;
}

/** Registers every operation of the person's API. */
export function registerPersonRoutes(app: FastifyInstance, parts: PersonRouteParts): void {
  app.decorateRequest('personSession', undefined);
  for (const id of personOperationIds) registerOperation(app, personOperation(id, parts.handlers[id], parts), parts);
}

function personOperation<Id extends PersonOperationId>(
  id: Id,
  handle: PersonHandler<Id>,
  { services, limitRate }: PersonRouteParts,
): PipedOperation<{ context: PersonContext; session: LiveSession | undefined }> {
  const route: PersonRoute = personRouteTable[id];
  return {
    route,
    bodyLimit: route.session === 'none' ? unknownBodyLimit : bodyLimit,
    sends: route.sends,
    admit: async (request) => {
      if (route.session === 'none') limitRate(`network ${networkOf(request.ip)}`);
      const session = await requireSession(route, request.headers, services);
      request.personSession = session;
      if (session === undefined) return;
      limitRate(`person ${session.person.id}`);
      if (route.admin === true) await requireAdministrator(session.person.id, services);
    },
    prepare: async (request, { params }, reply) => {
      const context = contextOf(id, request, reply, services);
      const session = request.personSession;
      if (session !== undefined) {
        const refused = (dataSource: string, reason: string) =>
          context.store.note([{ kind: 'data_source', id: dataSource, action: 'access refused', after: { reason } }]);
        const parts = { store: services.store, gate: services.gate, refused };
        await requireOwned(route, params, session.person.id, parts);
      }
      return { context, session };
    },
    // The types of the operation describe the result of its schemas, and the session that its rule demands.
    handle: (parsed, { context, session }) =>
      handle(parsed as Parameters<typeof handle>[0], context, session as Parameters<typeof handle>[2]),
  };
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
