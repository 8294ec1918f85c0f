import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { apiVersion, buildManifest, checkDocument, type KindName, kindNames } from '@rolecall/crds';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { placesIn, replacedSpecs, wholeSpecs } from './bounds.ts';

interface Schema {
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly items?: Schema;
  readonly 'x-kubernetes-list-type'?: string;
  readonly 'x-kubernetes-validations'?: readonly { rule: string }[];
}

interface Manifest {
  readonly spec: {
    readonly versions: readonly { schema: { openAPIV3Schema: { properties: { spec: Schema } } } }[];
  };
}

function specSchema(kind: KindName): Schema {
  // The manifest is built for YAML, and so has no type of its own.
  const { versions } = (buildManifest(kind) as unknown as Manifest).spec;
  return versions[0]!.schema.openAPIV3Schema.properties.spec;
}

function isValid(kind: KindName, spec: object): boolean {
  return checkDocument({ apiVersion, kind, metadata: { name: 'x' }, spec }).type === 'definition';
}

/** The paths of the fields of a schema. */
function fieldsOf({ properties = {} }: Schema): string[] {
  return Object.entries(properties).flatMap(([name, inner]) => [
    name,
    ...fieldsOf(inner).map((path) => `${name}.${path}`),
  ]);
}

/** A schema as an API server takes it that is as strict as `kubectl apply` is. */
function strict(schema: Schema): object {
  const { properties, items } = schema;
  const isSet = schema['x-kubernetes-list-type'] === 'set';
  return {
    ...schema,
    ...(isSet ? { uniqueItems: true } : {}),
    ...(items === undefined ? {} : { items: strict(items) }),
    ...(properties === undefined
      ? {}
      : {
          additionalProperties: false,
          properties: Object.fromEntries(Object.entries(properties).map(([name, inner]) => [name, strict(inner)])),
        }),
  };
}

/** True if a rule in CEL is about a place: it names it from above, or stands there. */
function isRuled(schema: Schema | undefined, [field, ...rest]: readonly string[]): boolean {
  const rules = (schema?.['x-kubernetes-validations'] ?? []).map(({ rule }) => rule);
  if (field === undefined) return rules.length > 0;
  return rules.some((rule) => rule.includes(`self.${field}`)) || isRuled(schema?.properties?.[field], rest);
}

describe('the bounds of the CustomResourceDefinitions', () => {
  for (const kind of kindNames) {
    const schema = specSchema(kind);

    it(`are tried in every field of ${kind}`, () => {
      for (const spec of wholeSpecs[kind]) assert.ok(isValid(kind, spec), JSON.stringify(spec));
      const tried = new Set(wholeSpecs[kind].flatMap(placesIn).map((place) => place.join('.')));
      assert.deepEqual(
        fieldsOf(schema).filter((path) => !tried.has(path)),
        [],
      );
    });

    // With the rules in CEL, apiserver-bounds.long.test.ts asks a real API server.
    it(`take of ${kind} all that is valid, and refuse the rest, by the schema or by a rule about the field`, () => {
      const check = new Ajv2020({ strict: false, logger: false }).compile(strict(schema));
      const disagreements = new Set<string>();
      for (const { path, spec } of replacedSpecs(kind)) {
        const isTaken = check(spec);
        if (isTaken === isValid(kind, spec)) continue;
        if (isTaken && isRuled(schema, path.split('.').slice(1))) continue;
        disagreements.add(`${path} ${isTaken ? 'taken' : 'refused'}: ${JSON.stringify(spec).slice(0, 200)}`);
      }
      assert.deepEqual([...disagreements], []);
    });
  }
});
