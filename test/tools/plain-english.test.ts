import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Linter } from 'eslint';
import tseslint from 'typescript-eslint';
import { plainEnglish } from '../../tools/lint/plain-english.ts';

const linter = new Linter();

/** Lints a text. @returns the word or the name that each message is about */
function complaints(text: string): string[] {
  const messages = linter.verify(
    text,
    {
      files: ['**/*.ts'],
      languageOptions: { parser: tseslint.parser },
      plugins: { 'plain-english': plainEnglish },
      rules: { 'plain-english/docstring-start': 'error', 'plain-english/noun-names': 'error' },
    },
    'text.ts',
  );
  return messages.map(({ message, fatal }) =>
    fatal === true ? message : (/not (?:with )?"(.+?)"/.exec(message)?.[1] ?? ''),
  );
}

describe('a docstring', () => {
  for (const word of ['What', 'Whether', 'How', 'Which', 'Who', 'Whose', 'Where', 'When'])
    it(`does not begin with ${word}`, () => {
      assert.deepEqual(complaints(`/** ${word} a person may do. */\nexport const level = 1;`), [word]);
    });

  it('is held to it before a member, and over several lines', () => {
    const text =
      'export interface Query {\n  /**\n   * How many rows it has.\n   *\n   * @see rows\n   */\n  count: number;\n}';
    assert.deepEqual(complaints(text), ['How']);
  });

  it('may begin with a verb or a noun, and with "True if"', () => {
    const text = '/** True if a person is locked. */\nexport const a = 1;\n/** Whole rows. */\nexport const b = 2;';
    assert.deepEqual(complaints(text), []);
  });

  it('is none where a comment has one star, or two slashes', () => {
    assert.deepEqual(complaints('/* What is below. */\n// How it works.\nexport const a = 1;'), []);
  });
});

describe('a declared name', () => {
  const declarations = {
    'a variable': 'const one = 1;',
    'a function': 'function found() {}',
    'a parameter': 'export const names = (known: string) => known;',
    'a parameter with a default': 'export const names = (known = "") => known;',
    'a part of a list': 'export const [own] = [1];',
    'a new name of a field': 'export const { name: own } = { name: 1 };',
    'a field': 'export class Query { each = 1; }',
    'a private field': 'export class Query { #found = 1; }',
    'a member of an interface': 'export interface Query { readonly own: string }',
    'a parameter of a type': 'export type Show = (before: string) => string;',
  };
  for (const [what, text] of Object.entries(declarations))
    it(`is a noun: ${what}`, () => {
      assert.equal(complaints(text).length, 1);
    });

  it('may be taken over from an interface that others have', () => {
    assert.deepEqual(complaints('export const show = ({ own, known = "" }: Route) => ({ own, known, found: 1 });'), []);
  });

  it('may be `before` beside `after`, and as a field: an interface has it', () => {
    const text = 'export function changed(before: Row, after: Row): { before: Row } { return { before }; }';
    assert.deepEqual(complaints(text), []);
  });
});
