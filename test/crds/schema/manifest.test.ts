import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { generatedFiles, kindNames, kinds } from '@rolecall/crds';
import { parse } from 'yaml';
import { structuralFaults } from '../structural-check.ts';

interface Crd {
  metadata: { name: string };
  spec: {
    group: string;
    scope: string;
    names: {
      kind: string;
      plural: string;
      singular: string;
      listKind: string;
      categories: string[];
      shortNames: string[];
    };
    versions: {
      name: string;
      subresources: { status: object };
      additionalPrinterColumns: { name: string; jsonPath: string }[];
      schema: { openAPIV3Schema: { properties: Record<string, Readonly<Record<string, unknown>>> } };
    }[];
  };
}

type Fields = Record<string, { maxLength?: number } | undefined>;

interface OpenApi {
  components: { schemas: Record<string, { properties: Record<string, { maxLength?: number }> } | undefined> };
}

const root = join(import.meta.dirname, '../../..');
const crds = kindNames.map((kind) => parse(committed(`crds/manifests/rolecall.dev_${kinds[kind].plural}.yaml`)) as Crd);

function committed(path: string): string {
  return readFileSync(join(root, path), 'utf8');
}

describe('generated files', () => {
  for (const [path, text] of generatedFiles()) {
    it(`${path} is what npm run generate makes`, () => {
      assert.equal(committed(path), text);
    });
  }
});

describe('the CustomResourceDefinitions', () => {
  for (const { metadata, spec } of crds) {
    const [version] = spec.versions;
    assert.ok(version !== undefined);
    const { properties } = version.schema.openAPIV3Schema;

    it(`${metadata.name} has structural schemas with descriptions and bounds`, () => {
      assert.deepEqual(structuralFaults(properties['spec'] ?? {}, 'spec'), []);
      assert.deepEqual(structuralFaults(properties['status'] ?? {}, 'status'), []);
    });

    it(`${metadata.name} is named as Kubernetes wants`, () => {
      assert.equal(metadata.name, `${spec.names.plural}.rolecall.dev`);
      assert.deepEqual([spec.group, spec.scope, version.name], ['rolecall.dev', 'Namespaced', 'v1alpha1']);
      assert.deepEqual(spec.names.categories, ['rolecall']);
      assert.match([spec.names.plural, spec.names.singular, ...spec.names.shortNames].join(), /^[a-z,]+$/);
    });

    it(`${metadata.name} shows Ready, Reason and Age`, () => {
      const columns = version.additionalPrinterColumns.map(({ name }) => name);
      assert.deepEqual(columns.slice(-3), ['Ready', 'Reason', 'Age']);
      assert.equal(columns.includes('Expires'), ['Permission', 'RoleMembership'].includes(spec.names.kind));
    });
  }

  it('let no text be longer than the service takes it', () => {
    const requests = ['Person', 'Role', 'DataSource', 'Snippet'] as const;
    const { components } = JSON.parse(committed('api/openapi.json')) as OpenApi;
    let compared = 0;
    for (const kind of requests) {
      const taken = components.schemas[`Create${kind}Request`]!.properties;
      const { properties } = crds[kindNames.indexOf(kind)]!.spec.versions[0]!.schema.openAPIV3Schema;
      const declared = (properties['spec'] as { properties: Fields }).properties;
      for (const [field, { maxLength }] of Object.entries(taken)) {
        const ours = declared[field === 'configUri' ? 'uri' : field]?.maxLength;
        if (maxLength === undefined || ours === undefined) continue;
        assert.ok(ours <= maxLength, `${kind}.${field}: ${ours} is more than ${maxLength}`);
        compared += 1;
      }
    }
    assert.equal(compared, 9);
  });

  it('have names that are different from each other', () => {
    const names = crds.flatMap(({ spec: { names } }) => [names.plural, names.singular, ...names.shortNames]);
    assert.equal(new Set(names).size, names.length);
  });

  it('say in CEL that exactly one of several fields is given', () => {
    const { spec } = crds[kindNames.indexOf('RoleMembership')]!;
    const schema = JSON.stringify(spec.versions[0]?.schema.openAPIV3Schema.properties['spec']);
    assert.match(schema, /\[has\(self\.person\), has\(self\.dataSource\)\]\.filter\(given, given\)\.size\(\) == 1/);
  });
});
