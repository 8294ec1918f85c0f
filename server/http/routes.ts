import {
  definitionHeader,
  definitionPattern,
  managerHeader,
  managerPattern,
  type OperationId,
  operationIds,
  type ParsedRequest,
  type Route,
  routeTable,
  scopeAllows,
  storeHeader,
} from '@rolecall/api';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Actor } from '../audit/entry.ts';
import { matchChecker } from '../handlers/check-match.ts';
import { reachesFurther, requireOwn } from '../handlers/existing.ts';
import type { Context, Handler, Handlers, RequestStore, Services } from '../handlers/handler.ts';
import { requestStore } from '../handlers/request-store.ts';
import { type KeyedRequest, readIdempotencyKey, requestText } from '../idempotency/once.ts';
import { limitedLists } from '../list-cache.ts';
import { malformed, Refusal } from '../refusal.ts';
import type { Manager } from '../store/manager.ts';
import type { Authenticate, Identity } from './authenticate.ts';
import { bodyLimit, bodyLimits } from './limits/limits.ts';
import { matchesStrongly, readTagList } from './messages/entity-tag.ts';
import type { Parsed } from './messages/parse-request.ts';
import { type PipedOperation, type PipelineParts, registerOperation } from './pipeline.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** The API key that the request was made with; for the log. */
    keyId: string | undefined;
    /** The name of that key; for the audit trail. */
    keyName: string | null;
    /** Data sources that the key is limited to; undefined for all. */
    dataSources: ReadonlySet<string> | undefined;
  }
}

export interface RouteParts extends PipelineParts {
  readonly handlers: Handlers;
  readonly services: Services;
  readonly authenticate: Authenticate;
}

/** Registers every operation of the API for keys. */
export function registerRoutes(app: FastifyInstance, parts: RouteParts): void {
  app.decorateRequest('keyId', undefined);
  app.decorateRequest('keyName', null);
  app.decorateRequest('dataSources', undefined);
  for (const id of operationIds) registerOperation(app, keyOperation(id, parts.handlers[id], parts), parts);
}

function keyOperation<Id extends OperationId>(id: Id, handle: Handler<Id>, parts: RouteParts): PipedOperation<Context> {
  const { services, authenticate } = parts;
  const route: Route = routeTable[id];
  const storeOf = storeMaker(id, parts);
  return {
    route,
    bodyLimit: bodyLimits[id] ?? bodyLimit,
    admit: async (request) => {
      if (route.scope !== 'none') admit(request, route, await authenticate(request));
    },
    prepare: async (request, parsed, reply) => {
      const manager = managerOf(request);
      const store = storeOf(request, parsed, manager);
      const { dataSources, keyId = '' } = request;
      if (route.scope !== 'none') void reply.header(storeHeader, services.storeIdentity);
      const asker = { address: request.ip, requestId: request.id };
      const context = { ...services, store, keyId, manager: manager?.name, asker };
      if (dataSources === undefined) return context;
      await requireOwn(services.store, route, parsed.params, dataSources);
      return route.limitedKeys === 'list' ? { ...context, lists: limitedLists(store, dataSources) } : context;
    },
    // What the schemas of the operation gave is what its type says.
    handle: (parsed, context) => handle(parsed as ParsedRequest<Id>, context),
  };
}

function admit(request: FastifyRequest, { scope, limitedKeys }: Route, identity: Identity): void {
  request.keyId = identity.keyId;
  request.keyName = identity.keyName;
  request.dataSources = identity.dataSources;
  if (!scopeAllows(identity.scope, scope)) {
    throw new Refusal('insufficient_scope', `the operation needs the scope ${scope}; the key has ${identity.scope}`);
  }
  if (identity.dataSources !== undefined && limitedKeys === 'refused') throw reachesFurther();
}

/** Without a semicolon, which ends the name. @throws Refusal */
function managerOf({ headers, dataSources }: FastifyRequest): Manager | undefined {
  const { [managerHeader]: header, [definitionHeader]: definition } = headers;
  if (header === undefined) {
    if (definition === undefined) return undefined;
    throw malformed(`${definitionHeader} needs ${managerHeader} beside it, which says whose definition it is`);
  }
  // Whoever sees a part of the workspace would keep what another set deletes: it would be declared by two.
  if (definition !== undefined && dataSources !== undefined) throw reachesFurther();
  const [, name, exact] = managerPattern.exec(String(header)) ?? [];
  if (name !== undefined) return { name, isExact: exact !== undefined, declares: readDefinition(definition) };
  throw malformed(
    `${managerHeader} must be 1 to 100 visible ASCII characters without a semicolon, with "; exact" after them or not`,
  );
}

function readDefinition(header: string | string[] | undefined): Manager['declares'] {
  if (header === undefined) return undefined;
  const [, definition, keep] = definitionPattern.exec(String(header)) ?? [];
  if (definition !== undefined) return { definition, isKept: keep !== undefined };
  throw malformed(`${definitionHeader} must be a kind and a name, such as Person/ada, with "; keep" after them or not`);
}

function actorOf({ keyId = '', keyName }: FastifyRequest): Actor {
  return { type: 'api_key', id: keyId, ...(keyName === null ? {} : { name: keyName }) };
}

/** Makes the store for a request of one operation, with its Idempotency-Key and If-Match. @throws Refusal */
function storeMaker(
  operation: OperationId,
  { handlers, services }: { handlers: Handlers; services: Services },
): (request: FastifyRequest, parsed: Parsed, manager: Manager | undefined) => RequestStore {
  const route = routeTable[operation];

  function keyedRequest({ headers, keyId = '' }: FastifyRequest, parsed: Parsed): KeyedRequest | undefined {
    const header = headers['idempotency-key'];
    if (header === undefined || route.creates === undefined) return undefined;
    const key = readIdempotencyKey(String(header));
    return { apiKeyId: keyId, key, text: requestText(operation, parsed) };
  }

  function checkMatch({ headers }: FastifyRequest, parsed: Parsed) {
    const header = headers['if-match'];
    if (header === undefined || route.method === 'GET') return undefined;
    const tags = readTagList('If-Match', header);
    const check = matchChecker(route, parsed, { handlers, services, isCurrent: (tag) => matchesStrongly(tags, tag) });
    // Ignoring a condition could do what the client wanted to prevent.
    if (check === undefined) throw malformed('the operation takes no If-Match: it changes nothing that has an ETag');
    return check;
  }

  return (request, parsed, manager) =>
    requestStore(services, {
      operation,
      actor: actorOf(request),
      requestId: request.id,
      keyed: keyedRequest(request, parsed),
      manager,
      checkMatch: checkMatch(request, parsed),
    });
}
