import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Operation as Described, personRouteTable, routeTable } from '@rolecall/api';
import { type OpenApiDocument, type Operation, openApiDocument, personOpenApiDocument } from '@rolecall/api/openapi';
import { Ajv2020 } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import fc from 'fast-check';
import type { z } from 'zod';
import { propertyRuns } from '../../support/property-runs.ts';

/** JSON Schema of the 2020-12 draft, as far as the documents use it. */
interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly pattern?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly items?: Schema;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly propertyNames?: Schema;
  readonly additionalProperties?: boolean | Schema;
  readonly required?: readonly string[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly examples?: readonly unknown[];
}

const schemasPrefix = '#/components/schemas/';

/** What no document can say: a normal form of Unicode, a comparison of two fields, or that two parameters exclude each other. */
const unsayable =
  /composed form of Unicode|invisible characters|valid Unicode|must end after it begins|must be a whole number of seconds long|must be a time that exists|must not be combined with after/;

/** Makes values that a schema may allow; those that it does not are left out later. */
function valuesOf(schema: Schema, schemas: Readonly<Record<string, Schema>>): fc.Arbitrary<unknown> {
  const of = (other: Schema) => valuesOf(other, schemas);
  if (schema.$ref !== undefined) return of(schemas[schema.$ref.slice(schemasPrefix.length)] ?? {});
  if ('const' in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  const choices = schema.anyOf ?? schema.oneOf;
  if (choices !== undefined && schema.properties === undefined) return fc.oneof(...choices.map(of));
  const [type = 'object', ...others] = [schema.type ?? 'object'].flat();
  if (others.length > 0) return fc.oneof(...[type, ...others].map((one) => of({ ...schema, type: one })));
  const examples = schema.examples ?? [];
  const own = ofType(type, schema, of);
  return examples.length === 0 ? own : fc.oneof({ weight: 3, arbitrary: own }, fc.constantFrom(...examples));
}

function ofType(type: string, schema: Schema, of: (schema: Schema) => fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  const most = 2 ** 31;
  switch (type) {
    case 'null':
      return fc.constant(null);
    case 'boolean':
      return fc.boolean();
    case 'integer':
    case 'number':
      return fc.maxSafeInteger().map((value) => {
        const [low, high] = [schema.minimum ?? -most, schema.maximum ?? most];
        return low + (Math.abs(value) % (high - low + 1));
      });
    case 'string':
      return textsOf(schema);
    case 'array': {
      const { minItems: minLength = 0, maxItems = 3 } = schema;
      return fc.array(of(schema.items ?? {}), { minLength, maxLength: Math.max(minLength, Math.min(maxItems, 3)) });
    }
    default: {
      const { properties = {}, required = [], additionalProperties, propertyNames } = schema;
      const fields = Object.fromEntries(Object.entries(properties).map(([name, field]) => [name, of(field)]));
      const known = fc.record(fields, { requiredKeys: [...required] });
      if (typeof additionalProperties !== 'object') return known;
      return fc.dictionary(textsOf(propertyNames ?? {}), of(additionalProperties), { maxKeys: 3 });
    }
  }
}

function textsOf({ pattern, allOf = [], minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  const patterns = [pattern, ...allOf.map((one) => one.pattern)].filter((one) => one !== undefined);
  const size = { minLength, maxLength: Math.min(maxLength, 300) };
  const any = fc.oneof(
    fc.string({ ...size, unit: 'grapheme' }),
    fc.string({ ...size, unit: 'binary' }),
    fc.constantFrom('', ' ', '\t', '\u00a0', '\u3000', '\u2028', '\0', '0', '-1', '\ufeff'),
    fc.constantFrom(maxLength, maxLength + 1).map((length) => 'x'.repeat(Math.min(length, 20_000))),
  );
  // Not every pattern can be followed backwards: then only what is there by chance.
  const matching = patterns.flatMap((one) => {
    try {
      return [fc.stringMatching(new RegExp(one, 'u'))];
    } catch {
      return [];
    }
  });
  return fc.oneof(any, ...matching);
}

const runs = propertyRuns({ quick: 100, all: 3000 });

for (const [name, document, routes] of [
  ['openapi.json', openApiDocument(), Object.values(routeTable)],
  ['/person/v1/openapi.json', personOpenApiDocument(), Object.values(personRouteTable)],
] as const satisfies [string, OpenApiDocument, readonly Described[]][]) {
  const schemas = document.components.schemas as Readonly<Record<string, Schema>>;
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  formats.default(ajv);
  ajv.addSchema({ $id: 'openapi', components: { schemas } });
  const operations: Operation[] = Object.values(document.paths).flatMap((item) => Object.values(item));

  /** Tries values that the document allows. @param parse the service's own reading */
  const hold = (what: string, schema: Schema, parse: (value: unknown) => z.core.$ZodError | undefined): void => {
    const isAllowed = ajv.compile(
      JSON.parse(JSON.stringify(schema).replaceAll(schemasPrefix, `openapi${schemasPrefix}`)),
    );
    const made = fc.sample(valuesOf(schema, schemas), { numRuns: runs, seed: 42 });
    const allowed = made.filter((value) => isAllowed(value));
    assert.ok(allowed.length > 3, `${what}: ${allowed.length} of ${made.length} values are allowed`);
    for (const value of allowed) {
      const issues = parse(value)?.issues.filter(({ message }) => !unsayable.test(message)) ?? [];
      assert.deepEqual(issues, [], `${what} ${JSON.stringify(value).slice(0, 1000)}`);
    }
  };

  describe(`${name}: what it allows is not refused as malformed`, () => {
    for (const route of routes) {
      const { operationId, body, params, query } = route;
      const { requestBody, parameters = [] } = operations.find((one) => one.operationId === operationId) ?? {};
      if (body !== undefined) {
        it(`in the body of ${operationId}`, () => {
          const schema = Object.values(requestBody?.content ?? {})[0]?.schema ?? {};
          hold(operationId, schema, (value) => body.schema.safeParse(value).error);
        });
      }
      for (const [place, fields] of [
        ['path', params],
        ['query', query],
      ] as const) {
        const own = parameters.filter((one) => one.in === place);
        if (own.length === 0) continue;
        it(`in the ${place} of ${operationId}`, () => {
          const schema = {
            type: 'object',
            properties: Object.fromEntries(own.map((one) => [one.name, one.schema as Schema])),
            required: own.filter(({ required }) => required).map((one) => one.name),
          };
          hold(operationId, schema, (value) => {
            // They travel as text.
            const texts = Object.entries(value as object).map(([field, given]) => [field, String(given)]);
            return fields.safeParse(Object.fromEntries(texts)).error;
          });
        });
      }
    }
  });
}
