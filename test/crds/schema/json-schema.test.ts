import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildJsonSchema, kinds } from '@rolecall/crds';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { parse } from 'yaml';
import { envelopeCases } from '../load/cases-envelope.ts';
import { specCases } from '../load/cases-spec.ts';
import { loadFiles } from '../load/support.ts';

const validate = new Ajv2020({ strict: false, allErrors: true }).compile(buildJsonSchema());

/** What a JSON Schema cannot say; the loader does. */
const beyond = [
  /URI that cannot be read/,
  /password in a URI/,
  /without credentials/,
  /every path/,
  /window/,
  /surrogate/,
  /several documents/,
  /without any data source/,
];

describe('the JSON Schema', () => {
  it('is itself a valid schema of draft 2020-12', () => {
    assert.equal(new Ajv2020({ strict: false }).validateSchema(buildJsonSchema()), true);
  });

  for (const { kind, example } of Object.values(kinds)) {
    it(`accepts the example of ${kind}`, () => {
      assert.equal(validate(parse(example)), true, JSON.stringify(validate.errors));
    });
  }

  for (const { promise, input, problems } of [...envelopeCases, ...specCases]) {
    const isSaid =
      typeof input === 'string' && !/^---|kind: List/m.test(input) && !beyond.some((text) => text.test(promise));
    if (!isSaid || problems.every(({ severity }) => severity === 'warning')) continue;
    it(`refuses what the loader refuses: ${promise}`, () => {
      assert.equal(validate(parse(input, { logLevel: 'silent' })), false);
    });
  }

  it('accepts an object of a cluster, as the loader does', async () => {
    const text = `apiVersion: rolecall.dev/v1alpha1
kind: Role
metadata: { name: r, labels: null, uid: x, generation: 1, annotations: { example.com/a: b } }
spec:
status: { id: x }
`;
    assert.equal(validate(parse(text)), true, JSON.stringify(validate.errors));
    assert.deepEqual((await loadFiles({ 'a.yaml': text })).problems, []);
  });
});
