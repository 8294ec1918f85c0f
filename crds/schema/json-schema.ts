/** One JSON Schema (draft 2020-12) for every definition, for editors. */

import { z } from 'zod';
import { exactlyOneKey } from '../fields/exactly-one.ts';
import { apiVersion, bookkeeping, group, metadataSchema } from '../fields/metadata.ts';
import { isMapping, type Json, mapping, mapValues } from '../json.ts';
import { annotations, formerAnnotations, textAnnotations } from '../kinds/annotations.ts';
import type { KindName } from '../kinds/definition.ts';
import { kindNames, kinds } from '../kinds/registry.ts';

/** Builds the schema. It tells kinds apart by if and then, which editors complete and explain better than oneOf. */
export function buildJsonSchema(): Json {
  const specs = new Map(kindNames.map((name) => [name, specSchema(name)]));
  return {
    $schema: 'https://json-schema.org/draft/2020-12/schema',
    $id: `https://${group}/schemas/rolecall.schema.json`,
    title: 'Rolecall definition',
    description: 'Database access as code: one definition of a workspace or of something in it.',
    type: 'object',
    properties: {
      apiVersion: { const: apiVersion, description: 'The API group and version of Rolecall.' },
      kind: {
        description: 'What is declared.',
        oneOf: kindNames.map((name) => ({ const: name, description: kinds[name].summary })),
      },
      metadata: { $ref: '#/$defs/Metadata' },
      spec: { type: ['object', 'null'], description: 'What is wanted.' },
      status: { description: 'Written by the operator and ignored here.' },
    },
    required: ['kind', 'metadata'],
    additionalProperties: false,
    allOf: [...specs].map(([name, spec]) => ({
      if: { properties: { kind: { const: name } }, required: ['kind'] },
      then: whenKind(name, spec),
    })),
    $defs: {
      Metadata: metadataJsonSchema(),
      ...Object.fromEntries([...specs].map(([name, spec]) => [`${name}Spec`, spec])),
    },
  };
}

function whenKind(name: KindName, spec: Json): Json {
  const reference = { $ref: `#/$defs/${name}Spec` };
  const isNeeded = 'required' in spec || 'oneOf' in spec;
  return isNeeded
    ? { properties: { spec: reference }, required: ['spec'] }
    : { properties: { spec: { anyOf: [reference, { type: 'null' }] } } };
}

function specSchema(name: KindName): Json {
  const { schema, summary } = kinds[name];
  return { ...withExactlyOne(toInputSchema(schema)), description: summary };
}

function metadataJsonSchema(): Json {
  const schema = toInputSchema(metadataSchema);
  const properties = mapping(schema['properties']);
  const ignored = Object.fromEntries(
    bookkeeping.map((name) => [name, { description: 'Written by Kubernetes and ignored here.' }]),
  );
  return {
    ...schema,
    properties: {
      ...properties,
      labels: nullable(properties['labels']),
      annotations: {
        ...nullable(properties['annotations']),
        properties: {
          ...mapValues(annotations, (description) => ({ enum: ['true', 'false'], description })),
          ...mapValues(textAnnotations, (description) => ({ type: 'string', description })),
        },
        propertyNames: {
          anyOf: [
            { enum: Object.keys({ ...annotations, ...textAnnotations, ...formerAnnotations }) },
            { not: { pattern: String.raw`^rolecall\.dev/` } },
          ],
        },
      },
      ...ignored,
    },
  };
}

function nullable(schema: unknown): Json {
  return { ...mapping(schema), type: ['object', 'null'] };
}

/** Says "exactly one of these fields" as oneOf, everywhere in a schema. */
function withExactlyOne(schema: Json): Json {
  const { [exactlyOneKey]: fields, properties, ...rest } = schema;
  const inside = mapValues(mapping(properties), (property) =>
    isMapping(property) ? withExactlyOne(property) : property,
  );
  return {
    ...rest,
    ...(properties === undefined ? {} : { properties: inside }),
    ...(Array.isArray(fields) ? { oneOf: fields.map((field: unknown) => ({ required: [field] })) } : {}),
  };
}

/** Makes JSON Schema of a zod schema, for its input and not its output. */
export function toInputSchema(schema: z.ZodType): Json {
  const { $schema: _version, ...rest } = z.toJSONSchema(schema, { io: 'input', override: dropSafeBounds });
  return rest;
}

/** zod bounds every integer by what JavaScript can hold, which tells a reader nothing. */
function dropSafeBounds({ jsonSchema }: { jsonSchema: z.core.JSONSchema.BaseSchema }): void {
  if (jsonSchema.maximum === Number.MAX_SAFE_INTEGER) delete jsonSchema.maximum;
  if (jsonSchema.minimum === Number.MIN_SAFE_INTEGER) delete jsonSchema.minimum;
}
