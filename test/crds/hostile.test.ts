import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { checkDocument, formatProblem, kindNames, loadDefinitions } from '@rolecall/crds';
import fc from 'fast-check';
import { anyCharacter } from '../support/any-character.ts';
import { propertyRuns } from '../support/property-runs.ts';
import { streamOf } from './load/support.ts';

const apiVersion = 'rolecall.dev/v1alpha1';

/** Field names that are known, that every object inherits, and others. */
const fieldName = fc.oneof(
  fc.constantFrom(
    'name',
    'people',
    'uri',
    'passwordFrom',
    'textFrom',
    'owner',
    'startsAt',
    'duration',
    'credentialsFrom',
    'rails',
  ),
  fc.constantFrom('__proto__', 'constructor', 'toString', 'hasOwnProperty', 'valueOf', ''),
  fc.string(),
);
const anyValue = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    fc.constantFrom(null, true, 0, -1, 1.5, Number.NaN, Number.POSITIVE_INFINITY, '', 'x', '\ud800', 'true', '8h'),
    fc.string({ unit: anyCharacter }),
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(fieldName, tie('value'), { maxKeys: 5, noNullPrototype: true }),
  ),
})).value;

describe('hostile input', () => {
  it('of any shape gets issues with remedies, never an exception', () => {
    fc.assert(
      fc.property(fc.constantFrom(...kindNames), anyValue, anyValue, (kind, metadata, spec) => {
        const checked = checkDocument({ apiVersion, kind, metadata, spec });
        assert.notEqual(checked.type, 'foreign');
        if ('issues' in checked) {
          for (const { message, remedy } of checked.issues) assert.ok(message !== '' && /[.?…]$/.test(remedy), remedy);
        }
      }),
      { numRuns: propertyRuns({ quick: 300, all: 2000 }) },
    );
  });

  it('at the top gets a result, never an exception', () => {
    fc.assert(
      fc.property(anyValue, (value) => {
        assert.ok(checkDocument(value).type.length > 0);
      }),
    );
  });

  it('that refers to itself is refused', () => {
    const circular: Record<string, unknown> = { apiVersion, kind: 'Role', metadata: { name: 'r' } };
    circular['spec'] = circular;
    assert.equal(checkDocument(circular).type, 'invalid');
  });

  it('of any bytes gets problems, never an exception', async () => {
    const punctuation = fc.stringMatching(/^[-:{}[\],&*!|>'"%@`#?\n\t ax.]*$/, { maxLength: 200 });
    await fc.assert(
      fc.asyncProperty(fc.oneof(punctuation, fc.uint8Array({ maxLength: 200 })), async (bytes) => {
        const { problems } = await loadDefinitions(['-'], { stdin: streamOf(bytes) });
        for (const { line, column } of problems) assert.ok(line >= 0 && column >= 0);
      }),
      { numRuns: propertyRuns({ quick: 200, all: 1500 }) },
    );
  });

  it('shows up as escapes where it would act on a terminal', async () => {
    const text = `apiVersion: ${apiVersion}\nkind: Role\nmetadata: { name: r, labels: { "a\\e[31m\\u202e": 5 } }\nspec: { "x\\x9b1m": 1 }\n`;
    const { problems } = await loadDefinitions(['-'], { stdin: streamOf(text) });
    assert.equal(problems.length, 2);
    for (const problem of problems) assert.doesNotMatch(formatProblem(problem), /[\p{Cc}\p{Cf}]/u);
  });

  it('leaves no trace in the prototype of objects', async () => {
    const text = `apiVersion: ${apiVersion}\nkind: Role\nmetadata: { name: r, labels: { __proto__: x } }\n__proto__: { polluted: true }\n`;
    const { problems } = await loadDefinitions(['-'], { stdin: streamOf(text) });
    assert.deepEqual(
      problems.map(({ code }) => code),
      ['field_unknown'],
    );
    assert.equal('polluted' in {}, false);
  });
});
