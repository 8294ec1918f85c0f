import { z } from 'zod';

/** A JSON Schema of the 2020-12 draft, as far as the wire contract uses it. */
export interface JsonSchema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  format?: string;
  pattern?: string;
  description?: string;
  examples?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  additionalProperties?: boolean;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
}

/** The named schemas of a document, by their id. */
export type Components = Record<string, JsonSchema>;

const prefix = '#/components/schemas/';

/**
 * Writes a zod schema as JSON Schema. Schemas with an id go into `components` and are replaced by a reference.
 *
 * @param io the service's input or output, which differ if a schema transforms
 */
export function toJsonSchema(schema: z.ZodType, io: 'input' | 'output', components: Components): JsonSchema {
  const written = z.toJSONSchema(schema, {
    io,
    override: ({ zodSchema, jsonSchema }) => {
      tidy(zodSchema, jsonSchema, io);
    },
  });
  const { $schema: _draft, $defs = {}, ...rest } = written;
  for (const [id, definition] of Object.entries($defs)) components[id] = moveReferences(definition) as JsonSchema;
  // zod's own type of JSON Schema is wider than the subset that the contract uses.
  return moveReferences(rest) as JsonSchema;
}

/** Resolves a reference; returns any other schema as it is. */
export function resolve(schema: JsonSchema, components: Components): JsonSchema {
  return schema.$ref === undefined ? schema : (components[schema.$ref.slice(prefix.length)] ?? {});
}

export function reference(id: string): JsonSchema {
  return { $ref: prefix + id };
}

function tidy(zodSchema: z.core.$ZodTypes, schema: z.core.JSONSchema.BaseSchema, io: 'input' | 'output'): void {
  // zod limits every integer to JavaScript's exact range, which says nothing about the field.
  if (schema.maximum === Number.MAX_SAFE_INTEGER) delete schema.maximum;
  if (schema.minimum === Number.MIN_SAFE_INTEGER) delete schema.minimum;
  if (schema.minLength === 0) delete schema.minLength;
  // A later version may add fields to an answer, and clients generated from this document must accept them.
  if (io === 'output') delete schema.additionalProperties;
  // zod takes the examples of a transforming schema for results and drops them. Here they are always of the wire format.
  const examples = z.globalRegistry.get(zodSchema)?.['examples'];
  if (Array.isArray(examples)) schema.examples = examples;
}

function moveReferences(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moveReferences);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      key === '$ref' && typeof inner === 'string' ? inner.replace('#/$defs/', prefix) : moveReferences(inner),
    ]),
  );
}
