/** The CustomResourceDefinition of each kind, from the same schema that the command line checks with. */

import type { KindName } from './definition.ts';
import { toInputSchema } from './input-schema.ts';
import type { Json } from './json.ts';
import type { Kind } from './kind.ts';
import { group, version } from './metadata.ts';
import { kinds } from './registry.ts';
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
        singular: kind.singular,
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
          schema: { openAPIV3Schema: documentSchema(name) },
        },
      ],
    },
  };
}

function documentSchema(name: KindName): Json {
  const kind = kinds[name];
  const spec = toStructural(toInputSchema(kind.schema), kind.validations);
  const isNeeded = 'required' in spec || 'x-kubernetes-validations' in spec;
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
