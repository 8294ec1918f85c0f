import type { z } from 'zod';
import { idempotencyKeyPattern, longestTagList, tagListPattern } from '../header-patterns.ts';
import type { PersonRoute } from '../person-api/route.ts';
import { definitionPattern } from '../resources/declaration.ts';
import { managerPattern } from '../resources/manager.ts';
import type { Operation, Route } from '../route.ts';
import { exampleOf } from './example.ts';
import { type Components, type JsonSchema, toJsonSchema } from './schema.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example: unknown;
}

/** The path and query parameters of an operation, and its own headers. */
export function parametersOf(route: Operation, headers: readonly Parameter[], components: Components): Parameter[] {
  return [
    ...describe(route.params, 'path', components),
    ...describe(route.query, 'query', components),
    ...headers,
    ...(hasTag(route)
      ? [header('If-None-Match', 'Returns 304 if this is the current ETag.', entityTag, tagListPattern)]
      : []),
  ];
}

const entityTag = '"26Ruims257hZ1OvXVS_j8n"';

/** The headers of an operation for API keys. */
export function keyHeaders(route: Route): Parameter[] {
  return [
    ...(route.creates === undefined
      ? []
      : [
          header(
            'Idempotency-Key',
            'A quoted string. The service does a request with this key once and repeats its answer for 24 hours.',
            '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
            idempotencyKeyPattern,
          ),
        ]),
    ...(route.changes === undefined
      ? []
      : [
          header(
            'If-Match',
            `Changes nothing unless this is the current ETag of \`${route.changes}\`.`,
            entityTag,
            tagListPattern,
          ),
        ]),
    ...(route.method === 'GET'
      ? []
      : [
          header(
            'Rolecall-Manager',
            'The manager of what is written; listManaged shows it. With `; exact` behind it, the manager writes whole lists.',
            'rolecall/acme',
            managerPattern,
          ),
          header(
            'Rolecall-Definition',
            'The definition of what is written, beside Rolecall-Manager; a snapshot with `declaredBy` shows it. With `; keep` behind it, the object stays when the definition goes.',
            'Person/ada',
            definitionPattern,
          ),
        ]),
  ];
}

/** The headers of an operation of the person's API. */
export function personHeaders({ method, session }: PersonRoute): Parameter[] {
  if (method === 'GET' || session === 'none') return [];
  return [header('rolecall-csrf', 'Required from a browser: the `csrfToken` that `getMe` returns.', '3q2-7w')];
}

/** True if the answer has an ETag; paged answers have none. */
export function hasTag(route: Operation): boolean {
  return route.method === 'GET' && Object.keys(route.query.shape).length === 0;
}

/** @param pattern the form that the service holds the header to; default: none */
function header(name: string, description: string, example: string, pattern?: RegExp): Parameter {
  const schema = {
    type: 'string',
    ...(pattern === undefined ? {} : { pattern: pattern.source }),
    ...(pattern === tagListPattern ? { maxLength: longestTagList } : {}),
  };
  return { name, in: 'header', required: false, description, schema, example };
}

function describe(fields: z.ZodObject, place: 'path' | 'query', components: Components): Parameter[] {
  const { properties = {}, required = [] } = toJsonSchema(fields, 'input', components);
  return Object.entries(properties).map(([name, property]) => {
    const { description, examples, ...schema } = asNumber(property);
    return {
      name,
      in: place,
      required: required.includes(name),
      ...(description === undefined ? {} : { description }),
      schema,
      example: examples?.[0] ?? exampleOf(schema, components, 'request'),
    };
  });
}

/** The contract parses whole numbers from text; for tools, they are numbers. */
function asNumber(property: JsonSchema): JsonSchema {
  const digits = /^\^\[0-9\]\{1,([0-9]+)\}\$$/.exec(property.pattern ?? '')?.[1];
  if (digits === undefined) return property;
  const { pattern: _text, type: _string, examples = [], ...rest } = property;
  const maximum = 10 ** Number(digits) - 1;
  return { type: 'integer', minimum: 0, maximum, ...rest, examples: examples.map(Number) };
}
