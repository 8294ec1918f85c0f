import { formMediaType, jsonMediaType, vendorMediaType } from '../media-types.ts';
import { problemSchema } from '../problem.ts';
import type { Route } from '../route.ts';
import { routeTable } from '../routes.ts';
import { exampleOf } from './example.ts';
import { hasTag, type Parameter, parametersOf } from './parameters.ts';
import { type MediaType, problemResponses, type Response } from './responses.ts';
import { type Components, reference, toJsonSchema } from './schema.ts';

export interface OpenApiDocument {
  openapi: '3.1.1';
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } };
  servers: { url: string; description: string }[];
  security: Record<string, string[]>[];
  tags: { name: string }[];
  paths: Record<string, Record<string, Operation>>;
  components: {
    securitySchemes: Record<string, { type: string; scheme: string; description: string }>;
    schemas: Components;
    responses: Record<string, Response>;
  };
}

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-required-scope': Route['scope'];
  /** Empty where no key is needed. */
  security?: [];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response | { $ref: string }>;
}

interface Shared {
  readonly schemas: Components;
  readonly responses: Record<string, Response>;
}

/** Describes the wire contract as OpenAPI 3.1: every operation of the route table, from the schemas that it has there. */
export function openApiDocument(): OpenApiDocument {
  const shared: Shared = { schemas: {}, responses: {} };
  toJsonSchema(problemSchema, 'output', shared.schemas);
  const all = Object.values(routeTable);
  const paths: OpenApiDocument['paths'] = {};
  for (const route of all) {
    const item = (paths[route.path.replace(/:([A-Za-z]+)/g, '{$1}')] ??= {});
    item[route.method.toLowerCase()] = operationOf(route, shared);
    if (route.alsoMethod !== undefined) item[route.alsoMethod.toLowerCase()] = aliasOf(route, route.alsoMethod, shared);
  }
  return {
    openapi: '3.1.1',
    info: {
      title: 'Rolecall workspace service',
      version: '2',
      description:
        'Administers a shared database query workspace: data sources, people, roles, permissions, snippets, editors and queries. Errors are problems (RFC 9457) with a stable `code`.',
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'the service that serves this document' }],
    security: [{ apiKey: [] }],
    tags: [...new Set(all.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: {
        apiKey: {
          type: 'http',
          scheme: 'basic',
          description: 'The user name is `<API_KEY_ID>@api`, the password is the secret of the API key.',
        },
      },
      schemas: sorted(shared.schemas),
      responses: sorted(shared.responses),
    },
  };
}

function operationOf(route: Route, shared: Shared): Operation {
  const parameters = parametersOf(route, shared.schemas);
  const requestBody = requestBodyOf(route, shared.schemas);
  const needed = route.scope === 'none' ? 'Needs no key.' : `Needs a key with the scope \`${route.scope}\`.`;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, needed].filter(Boolean).join(' '),
    'x-required-scope': route.scope,
    ...(route.scope === 'none' ? { security: [] } : {}),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      200: successOf(route, shared.schemas),
      ...(hasTag(route) ? { 304: { description: 'It has not changed: as the client has it.' } } : {}),
      ...problemResponses(route, shared.responses),
    },
  };
}

/** The specification gives one operation two methods; a document needs two ids. */
function aliasOf(route: Route, method: string, shared: Shared): Operation {
  const operation = operationOf(route, shared);
  return {
    ...operation,
    operationId: `${route.operationId}${method.charAt(0)}${method.slice(1).toLowerCase()}`,
    description: `The same as ${route.method}, under the method of the specification's example. ${operation.description}`,
  };
}

function requestBodyOf(route: Route, schemas: Components): Operation['requestBody'] {
  if (route.body === undefined) return undefined;
  const { encoding, schema } = route.body;
  const id = `${route.operationId.charAt(0).toUpperCase()}${route.operationId.slice(1)}Request`;
  const written = (schemas[id] ??= toJsonSchema(schema, 'input', schemas));
  const media: MediaType = { schema: reference(id), example: exampleOf(written, schemas, 'request') };
  return {
    // Where every field may be left out, so may the body: it changes nothing.
    required: (written.required ?? []).length > 0,
    content: encoding === 'json' ? { [jsonMediaType]: media } : { [formMediaType]: media, [jsonMediaType]: media },
  };
}

function successOf(route: Route, schemas: Components): Response {
  const schema = toJsonSchema(route.answer, 'output', schemas);
  const media: MediaType = { schema, example: exampleOf(schema, schemas, 'answer') };
  const headers = successHeaders(route);
  return { description: 'Done.', ...headers, content: { [vendorMediaType]: media, [jsonMediaType]: media } };
}

function successHeaders(route: Route): Pick<Response, 'headers'> {
  const schema = { type: 'string' };
  if (hasTag(route)) {
    return { headers: { ETag: { description: 'another one as soon as the answer is another one', schema } } };
  }
  if (route.creates === undefined) return {};
  const description = '`true` where the answer was given before, to the same Idempotency-Key';
  return { headers: { 'Idempotency-Replayed': { description, schema } } };
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
