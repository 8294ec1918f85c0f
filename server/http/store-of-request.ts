import { managerHeader, managerPattern, type OperationId, routeTable } from '@rolecall/api';
import type { FastifyRequest } from 'fastify';
import type { Actor } from '../audit/entry.ts';
import { matchChecker } from '../handlers/check-match.ts';
import type { Handlers, RequestStore, Services } from '../handlers/handler.ts';
import { requestStore } from '../handlers/request-store.ts';
import { requestText } from '../idempotency/fingerprint.ts';
import type { KeyedRequest } from '../idempotency/once.ts';
import { readIdempotencyKey } from '../idempotency/read-key.ts';
import { malformed } from '../refusal.ts';
import type { Manager } from '../store/manager.ts';
import { matchesStrongly, readTagList } from './entity-tag.ts';

/** Without a semicolon, which ends the name. */
function managerOf({ headers }: FastifyRequest): Manager | undefined {
  const header = headers[managerHeader];
  if (header === undefined) return undefined;
  const [, name, exact] = managerPattern.exec(String(header)) ?? [];
  if (name !== undefined) return { name, isExact: exact !== undefined };
  throw malformed(
    `${managerHeader} must be 1 to 100 visible ASCII characters without a semicolon, with "; exact" after them or not`,
  );
}

type Parsed = { params: unknown; body: unknown };

function actorOf({ keyId = '', keyName }: FastifyRequest): Actor {
  return { type: 'api_key', id: keyId, ...(keyName === null ? {} : { name: keyName }) };
}

/** Makes the store as a request of one operation may use it, by its Idempotency-Key and If-Match. @throws Refusal */
export function storeMaker(
  operation: OperationId,
  { handlers, services }: { handlers: Handlers; services: Services },
): (request: FastifyRequest, parsed: Parsed) => RequestStore {
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
    // To leave a condition out of account could do what the client wanted to prevent.
    if (check === undefined) throw malformed('the operation takes no If-Match: it changes nothing that has an ETag');
    return check;
  }

  return (request, parsed) =>
    requestStore(services, {
      operation,
      actor: actorOf(request),
      requestId: request.id,
      keyed: keyedRequest(request, parsed),
      manager: managerOf(request),
      checkMatch: checkMatch(request, parsed),
    });
}
