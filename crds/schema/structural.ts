/** JSON Schema to the structural schemas that Kubernetes takes in CustomResourceDefinitions. */

import { exactlyOneKey } from '../fields/exactly-one.ts';
import { isMapping, type Json, mapping, mapValues } from '../json.ts';
import type { Validation } from '../kinds/kind.ts';

/** The keywords that are carried over as they are. The rest has another form there, or is forbidden. */
const kept = new Set([
  'type',
  'description',
  'default',
  'enum',
  'required',
  'minLength',
  'maxLength',
  'pattern',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'minProperties',
  'maxProperties',
]);

/** Turns a schema into a structural one; `validations` are added to the rules at its top. */
export function toStructural(schema: Json, validations: readonly Validation[] = []): Json {
  const rules = [...exactlyOneRules(schema[exactlyOneKey]), ...validations];
  const { type, ...values } = Object.fromEntries(Object.entries(schema).filter(([key]) => kept.has(key)));
  return {
    ...values,
    // Structural schemas have one type, and this in place of the one pair that is allowed.
    ...(isIntOrString(schema) ? { 'x-kubernetes-int-or-string': true } : { type }),
    // uniqueItems is forbidden, because checking it could take too long; a list of type set is the same.
    ...(schema['uniqueItems'] === true ? { 'x-kubernetes-list-type': 'set' } : {}),
    ...(isMapping(schema['items']) ? { items: toStructural(schema['items']) } : {}),
    // Of the keys of a mapping it takes no pattern.
    ...(schema['propertyNames'] !== undefined && isMapping(schema['additionalProperties'])
      ? { additionalProperties: toStructural(schema['additionalProperties']) }
      : {}),
    ...(isMapping(schema['properties'])
      ? { properties: mapValues(schema['properties'], (property) => toStructural(mapping(property))) }
      : {}),
    ...(rules.length === 0 ? {} : { 'x-kubernetes-validations': rules }),
  };
}

function isIntOrString({ type }: Json): boolean {
  return Array.isArray(type) && type.includes('integer') && type.includes('string');
}

/** CEL for "exactly one of these fields". */
function exactlyOneRules(fields: unknown): Validation[] {
  if (!Array.isArray(fields)) return [];
  const given = fields.map((field: unknown) => `has(self.${String(field)})`);
  return [
    {
      rule: `[${given.join(', ')}].filter(given, given).size() == 1`,
      message: `exactly one of ${fields.join(', ')} is needed`,
    },
  ];
}
