import type { z } from 'zod';
import { exampleOf } from './openapi-example.ts';
import { type Components, type JsonSchema, toJsonSchema } from './openapi-schema.ts';
import type { Route } from './route.ts';

export interface Parameter {
  name: string;
  in: 'path' | 'query';
  required: boolean;
  description?: string;
  schema: JsonSchema;
  example: unknown;
}

/** The path and query parameters of an operation. */
export function parametersOf(route: Route, components: Components): Parameter[] {
  return [...describe(route.params, 'path', components), ...describe(route.query, 'query', components)];
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

/** The contract reads whole numbers from text, digit by digit; who calls it thinks of a number, and so do tools. */
function asNumber(property: JsonSchema): JsonSchema {
  const digits = /^\^\[0-9\]\{1,([0-9]+)\}\$$/.exec(property.pattern ?? '')?.[1];
  if (digits === undefined) return property;
  const { pattern: _text, type: _string, examples = [], ...rest } = property;
  const maximum = 10 ** Number(digits) - 1;
  return { type: 'integer', minimum: 0, maximum, ...rest, examples: examples.map(Number) };
}
