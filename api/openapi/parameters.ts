import type { z } from 'zod';
import type { Route } from '../route.ts';
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

/** The path and query parameters of an operation, and the headers that it takes besides those that all take. */
export function parametersOf(route: Route, components: Components): Parameter[] {
  return [
    ...describe(route.params, 'path', components),
    ...describe(route.query, 'query', components),
    ...headersOf(route),
  ];
}

const entityTag = '"26Ruims257hZ1OvXVS_j8n"';

function headersOf(route: Route): Parameter[] {
  return [
    ...(route.creates === undefined
      ? []
      : [
          header(
            'Idempotency-Key',
            'A string in quotes. The same request with the same key is done once; for 24 hours it is answered as the first time.',
            '"8e03978e-40d5-43dd-bc93-6894a57f9324"',
          ),
        ]),
    ...(route.changes === undefined
      ? []
      : [header('If-Match', `Changes nothing unless this is the ETag of \`${route.changes}\` now.`, entityTag)]),
    ...(route.method === 'GET'
      ? []
      : [header('Rolecall-Manager', 'Who manages what is written; listManaged tells it.', 'rolecall/acme')]),
    ...(hasTag(route) ? [header('If-None-Match', 'Answers 304 where this is the ETag now.', entityTag)] : []),
  ];
}

/** Whether the answer has an ETag: what is read page by page has none. */
export function hasTag(route: Route): boolean {
  return route.method === 'GET' && Object.keys(route.query.shape).length === 0;
}

function header(name: string, description: string, example: string): Parameter {
  return { name, in: 'header', required: false, description, schema: { type: 'string' }, example };
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

/** The contract reads whole numbers from text, digit by digit; callers and tools treat them as numbers. */
function asNumber(property: JsonSchema): JsonSchema {
  const digits = /^\^\[0-9\]\{1,([0-9]+)\}\$$/.exec(property.pattern ?? '')?.[1];
  if (digits === undefined) return property;
  const { pattern: _text, type: _string, examples = [], ...rest } = property;
  const maximum = 10 ** Number(digits) - 1;
  return { type: 'integer', minimum: 0, maximum, ...rest, examples: examples.map(Number) };
}
