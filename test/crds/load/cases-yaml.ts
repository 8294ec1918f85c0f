import type { Case } from './case.ts';
import { head, personText } from './support.ts';

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
  'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
  'd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
  'e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]',
].join('\n');

/** What can be wrong with the text itself. */
export const yamlCases: readonly Case[] = [
  {
    promise: 'a tab as indentation is named as such',
    input: `${head('Person')}spec:\n\tname: Ada\n`,
    problems: [{ code: 'yaml_tab', at: '6:1', remedy: /Indent with spaces/ }],
  },
  {
    promise: 'a key that stands twice is an error at the second',
    input: personText('ada', '  name: Ada\n'),
    problems: [{ code: 'yaml_duplicate_key', at: '8:3', message: /twice/, remedy: /Remove one/ }],
  },
  {
    promise: 'a document with a duplicate key is checked for what else is wrong',
    input: personText('ada', '  name: Ada\n  lockd: true\n'),
    problems: [
      { code: 'yaml_duplicate_key', at: '8:3', remedy: /Remove one/ },
      { code: 'field_unknown', at: '9:3', path: 'spec.lockd', remedy: /locked/ },
    ],
  },
  {
    promise: 'an unclosed bracket is an error',
    input: `${head('Role')}spec:\n  people: [ada\n`,
    problems: [{ code: 'yaml_syntax', at: '7:1', remedy: /bracket/ }],
  },
  {
    promise: 'an unclosed quotation mark is an error',
    input: `${head('Role')}spec:\n  name: "x\n`,
    problems: [{ code: 'yaml_syntax', at: '6:9', message: /not closed/, remedy: /Add it/ }],
  },
  {
    promise: 'a colon inside a text asks for quotation marks',
    input: `${head('Role')}spec:\n  name: a: b\n`,
    problems: [{ code: 'yaml_syntax', at: '6:9', remedy: /quotation marks/ }],
  },
  {
    promise: 'a text that begins with a reserved character asks for quotation marks',
    input: `${head('Role')}spec:\n  name: @admins\n`,
    problems: [{ code: 'yaml_syntax', at: '6:9', remedy: /quotation marks/ }],
  },
  {
    promise: 'syntax errors in two documents are both reported, an open quotation mark where it begins',
    input: `a: [\n---\n\nb: "x\n---\n${personText('ada')}`,
    problems: [
      { code: 'yaml_syntax', at: '2:1', remedy: /./ },
      { code: 'yaml_syntax', at: '4:4', message: /not closed/, remedy: /Add it/ },
    ],
  },
  {
    promise: 'an unknown tag is an error, not silently dropped',
    input: `${head('Role')}spec:\n  name: !Sub admins\n`,
    problems: [{ code: 'yaml_syntax', at: '6:9', remedy: /Remove the tag/ }],
  },
  {
    promise: 'an alias without anchor is an error at the alias',
    input: `${head('Role')}spec:\n  name: *everyone\n`,
    problems: [{ code: 'yaml_alias', at: '6:9', remedy: /quote the text/ }],
  },
  {
    promise: 'a bomb of aliases is refused',
    input: bomb,
    problems: [{ code: 'yaml_alias', at: '1:1', message: /expand to more than/, remedy: /Write out/ }],
  },
  {
    promise: 'ten thousand brackets are refused, not a crash',
    input: `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    problems: [{ code: 'yaml_nesting', at: '1:*', remedy: /Flatten/ }],
  },
];
