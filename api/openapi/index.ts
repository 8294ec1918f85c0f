import { formMediaType, jsonMediaType, vendorMediaType } from '../media-types.ts';
import { type NeededSession, type PersonRoute, personProblemsOf } from '../person-api/route.ts';
import { personRouteTable } from '../person-api/routes.ts';
import { problemSchema } from '../problem.ts';
import type { ProblemCode } from '../problems.ts';
import { type Operation as Described, problemsOf, type Route } from '../route.ts';
import { routeTable } from '../routes.ts';
import { exampleOf } from './example.ts';
import { linksOf } from './links.ts';
import { hasTag, keyHeaders, type Parameter, parametersOf, personHeaders } from './parameters.ts';
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
    securitySchemes: Record<string, SecurityScheme>;
    schemas: Components;
    responses: Record<string, Response>;
  };
}

export type SecurityScheme =
  | { type: 'http'; scheme: string; description: string }
  | { type: 'apiKey'; in: 'cookie'; name: string; description: string };

export interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  description: string;
  'x-required-scope'?: Route['scope'];
  'x-required-session'?: NeededSession;
  /** Empty if no key is needed. */
  security?: [];
  parameters?: Parameter[];
  requestBody?: { required: boolean; content: Record<string, MediaType> };
  responses: Record<string, Response | { $ref: string }>;
}

interface Shared {
  readonly schemas: Components;
  readonly responses: Record<string, Response>;
}

/** Contents of an API's document besides its operations' requests and answers. */
interface Api<R extends Described> {
  readonly routes: readonly R[];
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly securitySchemes: Record<string, SecurityScheme>;
  /** The value of WWW-Authenticate in a 401. */
  readonly challenge: string;
  readonly headersOf: (route: R) => Parameter[];
  readonly problemsOf: (route: R) => ProblemCode[];
  /** Callers that an operation allows, as a sentence and for programs. */
  readonly callerOf: (route: R) => { sentence: string } & Partial<Operation>;
  readonly aliasOf?: (route: R, shared: Shared) => Record<string, Operation>;
  readonly mediaOf?: (route: R) => readonly string[] | undefined;
}

const keyApi: Api<Route> = {
  routes: Object.values(routeTable),
  title: 'Rolecall workspace service',
  version: '2',
  description:
    'Administers a shared database query workspace: data sources, people, roles, permissions, snippets, editors and queries. Errors are problems (RFC 9457) with a stable `code`.',
  securitySchemes: {
    apiKey: {
      type: 'http',
      scheme: 'basic',
      description: 'The user name is `<API_KEY_ID>@api`, the password is the secret of the API key.',
    },
  },
  challenge: 'Basic realm="rolecall", charset="UTF-8"',
  headersOf: keyHeaders,
  problemsOf,
  callerOf: ({ scope }) => ({
    sentence: scope === 'none' ? 'Needs no key.' : `Needs a key with the scope \`${scope}\`.`,
    'x-required-scope': scope,
    ...(scope === 'none' ? { security: [] } : {}),
  }),
  aliasOf: (route, shared) =>
    route.alsoMethod === undefined
      ? {}
      : { [route.alsoMethod.toLowerCase()]: aliasOf(route, route.alsoMethod, shared) },
};

const sessionSentences: Readonly<Record<NeededSession, string>> = {
  none: 'Needs no session.',
  pending: 'Needs a session, which may still lack its second factor.',
  enrolling:
    'Needs a session that was opened to set up factors, or the session of a person who has confirmed a factor within the last ten minutes.',
  whole: 'Needs the session of a person who has signed in.',
  recent: 'Needs the session of a person who has confirmed a factor within the last ten minutes.',
};

const personApi: Api<PersonRoute> = {
  routes: Object.values(personRouteTable),
  title: "Rolecall, the person's API",
  version: '1',
  description:
    'What people do themselves, in their own sessions: sign in, see what they can access, and query it. Errors are problems (RFC 9457) with a stable `code`.',
  securitySchemes: {
    browserSession: {
      type: 'apiKey',
      in: 'cookie',
      name: '__Host-rolecall',
      description: "A browser's session; on loopback without TLS, the cookie is named `rolecall`.",
    },
    commandLineSession: { type: 'http', scheme: 'bearer', description: 'The session that `rolecall login` opens.' },
  },
  challenge: 'Bearer realm="rolecall"',
  headersOf: personHeaders,
  problemsOf: personProblemsOf,
  callerOf: ({ session, ownObject, reaches }) => ({
    sentence: [
      sessionSentences[session],
      ...(ownObject === undefined ? [] : [`The ${ownObject} must be the person's own.`]),
      ...(reaches === true ? ['The person must have access to the data source now.'] : []),
    ].join(' '),
    'x-required-session': session,
    ...(session === 'none' ? { security: [] } : {}),
  }),
  mediaOf: ({ sends }) => sends,
};

/** Describes the API for keys as OpenAPI 3.1, from the route table and its schemas. */
export function openApiDocument(): OpenApiDocument {
  return describeApi(keyApi);
}

/** Describes the person's API as OpenAPI 3.1. */
export function personOpenApiDocument(): OpenApiDocument {
  return describeApi(personApi);
}

function describeApi<R extends Described>(api: Api<R>): OpenApiDocument {
  const shared: Shared = { schemas: {}, responses: {} };
  toJsonSchema(problemSchema, 'output', shared.schemas);
  const paths: OpenApiDocument['paths'] = {};
  for (const route of api.routes) {
    const item = (paths[route.path.replace(/:([A-Za-z]+)/g, '{$1}')] ??= {});
    item[route.method.toLowerCase()] = operationOf(route, api, shared);
    Object.assign(item, api.aliasOf?.(route, shared));
  }
  return {
    openapi: '3.1.1',
    info: {
      title: api.title,
      version: api.version,
      description: api.description,
      license: { name: 'Apache License 2.0', identifier: 'Apache-2.0' },
    },
    servers: [{ url: '/', description: 'the service that serves this document' }],
    security: Object.keys(api.securitySchemes).map((name) => ({ [name]: [] })),
    tags: [...new Set(api.routes.map(({ tag }) => tag))].map((name) => ({ name })),
    paths,
    components: {
      securitySchemes: api.securitySchemes,
      schemas: sorted(shared.schemas),
      responses: sorted(shared.responses),
    },
  };
}

function operationOf<R extends Described>(route: R, api: Api<R>, shared: Shared): Operation {
  const parameters = parametersOf(route, api.headersOf(route), shared.schemas);
  const requestBody = requestBodyOf(route, shared.schemas);
  const { sentence, ...caller } = api.callerOf(route);
  const isForBrowsers = api.mediaOf?.(route)?.includes('redirect') === true;
  return {
    operationId: route.operationId,
    tags: [route.tag],
    summary: route.summary,
    description: [route.description, sentence].filter(Boolean).join(' '),
    ...caller,
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: {
      ...successOf(route, api, shared.schemas),
      ...problemResponses(api.problemsOf(route), { challenge: api.challenge, isForBrowsers }, shared.responses),
    },
  };
}

/** The specification gives one operation two methods; an OpenAPI document needs an id for each. */
function aliasOf(route: Route, method: string, shared: Shared): Operation {
  const operation = operationOf(route, keyApi, shared);
  return {
    ...operation,
    operationId: `${route.operationId}${method.charAt(0)}${method.slice(1).toLowerCase()}`,
    description: `The same as ${route.method}, with the method that the specification's example uses. ${operation.description}`,
  };
}

function requestBodyOf(route: Described, schemas: Components): Operation['requestBody'] {
  if (route.body === undefined) return undefined;
  const { encoding, schema } = route.body;
  const id = `${route.operationId.charAt(0).toUpperCase()}${route.operationId.slice(1)}Request`;
  const written = (schemas[id] ??= toJsonSchema(schema, 'input', schemas));
  const media: MediaType = { schema: reference(id), example: exampleOf(written, schemas, 'request') };
  return {
    // If every field is optional, so is the body.
    required: (written.required ?? []).length > 0,
    content: encoding === 'json' ? { [jsonMediaType]: media } : { [formMediaType]: media, [jsonMediaType]: media },
  };
}

function successOf<R extends Described>(route: R, api: Api<R>, schemas: Components): Record<string, Response> {
  const media = api.mediaOf?.(route);
  if (media?.[0] === 'redirect') return { 302: { description: 'Continue at the address in `Location`.' } };
  if (media !== undefined) {
    return { 200: { description: 'Done.', content: Object.fromEntries(media.map((type) => [type, { schema: {} }])) } };
  }
  const schema = toJsonSchema(route.answer, 'output', schemas);
  const body: MediaType = { schema, example: exampleOf(schema, schemas, 'answer') };
  const links = linksOf(route, api.routes);
  return {
    200: {
      description: 'Done.',
      ...successHeaders(route),
      content: { [vendorMediaType]: body, [jsonMediaType]: body },
      ...(Object.keys(links).length === 0 ? {} : { links }),
    },
    ...(hasTag(route) ? { 304: { description: "Not changed: the client's copy is current." } } : {}),
  };
}

function successHeaders(route: Described & Partial<Route>): Pick<Response, 'headers'> {
  const schema = { type: 'string' };
  const headers: NonNullable<Response['headers']> = {};
  if (hasTag(route)) headers['ETag'] = { description: 'changes whenever the answer changes', schema };
  if (route.creates !== undefined) {
    const description = '`true` if this repeats the answer to an earlier request with the same Idempotency-Key';
    headers['Idempotency-Replayed'] = { description, schema };
  }
  if (route.scope !== undefined && route.scope !== 'none') {
    const description = 'the store of the service; identifiers mean something in this one only';
    headers['Rolecall-Store'] = { description, schema };
  }
  return Object.keys(headers).length === 0 ? {} : { headers };
}

function sorted<T>(record: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1)));
}
