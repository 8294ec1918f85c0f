/** The CustomResourceDefinition of each kind, from the same schema that the command line checks with. */

import { exactlyOneKey } from '../fields/exactly-one.ts';
import { namePattern } from '../fields/fields.ts';
import { group, version } from '../fields/metadata.ts';
import { type Json, mapping } from '../json.ts';
import type { KindName } from '../kinds/definition.ts';
import type { Kind, Validation } from '../kinds/kind.ts';
import { kinds } from '../kinds/registry.ts';
import { invisibleRanges } from './invisible-ranges.ts';
import { toInputSchema } from './json-schema.ts';
import { statusSchema } from './status.ts';
import { toStructural } from './structural.ts';

/** Builds the manifest of a kind (apiextensions.k8s.io/v1). */
export function buildManifest(name: KindName): Json {
  const kind = kinds[name];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${group}`, labels: { 'app.kubernetes.io/part-of': 'rolecall' } },
    spec: {
      group,
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.kind.toLowerCase(),
        shortNames: kind.shortNames,
        categories: ['rolecall'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: columns(kind),
          ...selectableFields(kind),
          schema: { openAPIV3Schema: documentSchema(name) },
        },
      ],
    },
  };
}

function documentSchema(name: KindName): Json {
  const kind = kinds[name];
  const input = toInputSchema(kind.schema);
  const spec = toStructural(input, [...kind.validations, ...visibleRules(input), ...immutableRules(kind)]);
  const isNeeded = 'required' in input || exactlyOneKey in input;
  return {
    description: kind.summary,
    type: 'object',
    ...(isNeeded ? { required: ['spec'] } : {}),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
      // A default of a field works only inside an object that is there.
      spec: { description: 'What is wanted.', ...spec, ...(isNeeded ? {} : { default: {} }) },
      status: statusSchema(name),
    },
  };
}

/** Names have no invisible characters. A pattern cannot say it: a class of characters that YAML and Go write alike would be invisible itself. */
function visibleRules(spec: Json): Validation[] {
  const names = Object.entries(mapping(spec['properties'])).filter(
    ([, property]) => mapping(property)['pattern'] === namePattern,
  );
  return names.map(([field]) => ({
    rule: `!has(self.${field}) || !self.${field}.matches(r'[${invisibleRanges()}]')`,
    message: `${field} must not have invisible characters`,
    fieldPath: `.${field}`,
  }));
}

/** Selectable fields: every kind that belongs to a workspace can be listed by it. */
function selectableFields({ schema, selectable }: Pick<Kind, 'schema' | 'selectable'>): Json {
  const fields = [...selectable, ...belongs(schema)];
  return fields.length === 0 ? {} : { selectableFields: fields.map((field) => ({ jsonPath: `.spec.${field}` })) };
}

/** These stand beside the fields and not in them: a rule inside a field does not see that the field came or went. */
function immutableRules({ schema, immutable }: Pick<Kind, 'schema' | 'immutable'>): Validation[] {
  return [...immutable, ...belongs(schema)].map((field) => ({
    rule: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
    message: `${field} cannot be changed: delete this object and create another one`,
    fieldPath: `.${field}`,
  }));
}

function belongs({ shape }: Kind['schema']): string[] {
  return 'workspaceRef' in shape ? ['workspaceRef'] : [];
}

function columns(kind: Pick<Kind, 'columns'>): Json[] {
  const condition = (name: string, field: string) => ({
    name,
    type: 'string',
    jsonPath: `.status.conditions[?(@.type=="Ready")].${field}`,
  });
  return [
    ...kind.columns.map((column) => ({ name: column.name, type: 'string', jsonPath: column.jsonPath })),
    condition('Ready', 'status'),
    condition('Reason', 'reason'),
    { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' },
  ];
}
