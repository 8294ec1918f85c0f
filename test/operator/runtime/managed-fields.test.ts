import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { withoutManagedFields } from '../../../operator/runtime/managed-fields.ts';

/** The same with each list of that name empty. */
const emptied = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value), (key, one: unknown) => (key === 'managedFields' && Array.isArray(one) ? [] : one));

const read = (json: string): unknown => JSON.parse(withoutManagedFields(json));

test('empties the lists of managed fields, and leaves everything else as it is', () => {
  const managedFields = [{ manager: 'a "]" b', fieldsV1: { 'f:metadata': { 'v:["\\"]"': [[], ['\\']] } } }];
  const list = {
    items: [{ metadata: { managedFields, name: 'ada' } }, { metadata: { managedFields: [], name: 'bo' } }],
  };
  assert.deepEqual(read(JSON.stringify(list)), emptied(list));
});

test('a text that quotes managed fields stays as it is', () => {
  const annotations = { 'kubectl.kubernetes.io/last-applied-configuration': '{"managedFields":[{"manager":"]"}]}' };
  const object = {
    metadata: { annotations, managedFields: annotations['kubectl.kubernetes.io/last-applied-configuration'] },
  };
  assert.deepEqual(read(JSON.stringify(object)), object);
});

test('any JSON reads the same', () => {
  const key = fc.oneof(fc.constant('managedFields'), fc.string());
  const text = fc.oneof(fc.string(), fc.constantFrom('"managedFields":[', '\\', ']', '"managedFields":[]\\"'));
  const { value } = fc.letrec<{ value: unknown }>((tie) => ({
    value: fc.oneof(
      { maxDepth: 5 },
      text,
      fc.integer(),
      fc.constant(null),
      fc.array(tie('value'), { maxLength: 4 }),
      fc.dictionary(key, tie('value'), { maxKeys: 4 }),
    ),
  }));
  fc.assert(
    fc.property(value, (one) => {
      assert.deepEqual(read(JSON.stringify(one)), emptied(one));
    }),
  );
});

test('a text that is cut off is no JSON', () => {
  assert.throws(() => read('{"metadata":{"managedFields":[{"manager":"a"'), SyntaxError);
});
