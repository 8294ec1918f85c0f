import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseDocument } from 'yaml';
import { toYaml } from '../../../../cli/commands/export/yaml.ts';
import { anyCharacter } from '../../../support/any-character.ts';
import { propertyRuns } from '../../../support/property-runs.ts';

const lines = [
  'select 1',
  '  indented',
  '\ttab',
  '',
  ' ',
  '---',
  '...',
  '# c',
  'a\r',
  'x\u0007y',
  '\u2028',
  '- a',
  'a: b',
];
const more = ['%YAML', '\ufeff', '\u0085', '\\', '"', "'", '\\ ', ' \\', `${'a'.repeat(90)} b c `];

describe('exported YAML', () => {
  it('gives back every text that a workspace can hold', () => {
    const line = fc.oneof(fc.constantFrom(...lines, ...more), fc.string({ unit: anyCharacter, maxLength: 6 }));
    const text = fc
      .array(line, { minLength: 1, maxLength: 8 })
      .map((all) => all.join('\n'))
      .filter((all) => all.isWellFormed() && !all.includes('\0'));
    fc.assert(
      fc.property(text, (value) => {
        const parsed = parseDocument(toYaml({ value, next: 1 }), { schema: 'core', merge: true });
        assert.deepEqual([parsed.errors, parsed.warnings, parsed.get('value'), parsed.get('next')], [[], [], value, 1]);
      }),
      { numRuns: propertyRuns({ quick: 200, all: 1500 }) },
    );
  });

  it('gives back what the library alone would not', () => {
    for (const value of [' \n', ' \n \n', 'a\u0007\n \nselect\n 1', `${'x '.repeat(40)}\r\n \n`]) {
      assert.equal(parseDocument(toYaml({ value })).get('value'), value);
    }
  });

  it('keeps lines as lines, and long ones unfolded', () => {
    const text = `select ${'a, '.repeat(60)}b\nfrom x;\n`;
    assert.equal(toYaml({ text }), `text: |\n  select ${'a, '.repeat(60)}b\n  from x;\n`);
  });
});
