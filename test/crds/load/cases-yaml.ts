import type { Case } from './case.ts';
import { head, personText } from './support.ts';

const bomb = [
  'a: &a [x, x, x, x, x, x, x, x, x, x]',
  'b: &b [*a, *a, *a, *a, *a, *a, *a, *a, *a, *a]',
  'c: &c [*b, *b, *b, *b, *b, *b, *b, *b, *b, *b]',
  'd: &d [*c, *c, *c, *c, *c, *c, *c, *c, *c, *c]',
  'e: [*d, *d, *d, *d, *d, *d, *d, *d, *d, *d]',
].join('\n');

const manyMerges = [
  `metadata: { name: r, labels: &wide { ${Array.from({ length: 200 }, (_, index) => `k${index}: x`).join(', ')} } }`,
  ...Array.from({ length: 600 }, (_, index) => `a${index}: { <<: *wide }`),
].join('\n');

function mergeTenTimes(index: number): string {
  return `m${index + 1}: &m${index + 1} { <<: [${Array(10).fill(`*m${index}`).join(', ')}] }`;
}

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
    problems: [{ code: 'yaml_syntax', at: '6:11', message: /bracket that opens here/, remedy: /Close it/ }],
  },
  {
    promise: 'an unclosed quotation mark is an error',
    input: `${head('Role')}spec:\n  name: "x\n`,
    problems: [{ code: 'yaml_syntax', at: '6:9', message: /not closed/, remedy: /Add it/ }],
  },
  {
    promise: "Git's conflict markers are one error of the file, with the lines of both ends",
    input: `${head('Person')}spec:\n<<<<<<< HEAD\n  name: Ada\n||||||| base\n=======\n  name: ada\n>>>>>>> b\n\tx: "\n<<<<<<< a\n>>>>>>> b\n`,
    problems: [
      {
        code: 'merge_conflict',
        at: '6:1',
        message: /lines 6 to 11, the first of 2/,
        remedy: /Keep the lines that you want/,
      },
    ],
  },
  {
    promise: 'a conflict marker that was left over is an error too',
    input: `${personText('ada').replaceAll('\n', '\r\n')}>>>>>>> b\r\n`,
    problems: [{ code: 'merge_conflict', at: '8:1', message: />>>>>>>/, remedy: /remove the lines/ }],
  },
  {
    promise: 'what only looks like conflict markers is none',
    input: personText('ada').replace('---', '# =======\n# <<<<<<< x'),
    problems: [],
  },
  {
    promise: 'two definitions without --- between them are one error, where the second begins',
    input: `${personText('ada')}${personText('ben')}`.replace(/---\n/g, ''),
    problems: [{ code: 'separator_missing', at: '8:1', message: /second definition/, remedy: /line of ---/ }],
  },
  {
    promise: 'two dashes between definitions are one error',
    input: `${personText('ada')}--\n${personText('ben')}`,
    problems: [{ code: 'yaml_syntax', at: '8:1', remedy: /three dashes/ }],
  },
  {
    promise: 'a dash without a space is an error at its own line, where the parser stumbles at the next',
    input: `${head('Role')}spec:\n  people:\n  -name: ada\n  - name: ben\n`,
    problems: [{ code: 'yaml_syntax', at: '7:3', message: /dash/, remedy: /space between the dash/ }],
  },
  {
    promise: 'a colon without a space is named as such',
    input: `${head('Person')}spec:\n  name:Ada\n  email: ada@example.com\n`,
    problems: [{ code: 'yaml_syntax', at: '6:3', message: /colon has no space/, remedy: /space between the colon/ }],
  },
  {
    promise: 'a line that is indented too far is the one that is named',
    input: `${head('Person')}spec:\n  name: Ada\n    email: ada@example.com\n`,
    problems: [{ code: 'yaml_syntax', at: '7:5', message: /deeper/, remedy: /same number of spaces/ }],
  },
  {
    promise: 'tabs on many lines are one slip',
    input: `${head('Person')}spec:\n\tname: Ada\n\temail: ada@example.com\n`,
    problems: [{ code: 'yaml_tab', at: '6:1', remedy: /Indent with spaces/ }],
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
      { code: 'yaml_syntax', at: '1:4', message: /bracket that opens here/, remedy: /Close it/ },
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
    problems: [{ code: 'yaml_alias', at: '1:1', message: /expand to more than/, remedy: /Replace the aliases/ }],
  },
  {
    promise: 'a bomb of merges is refused',
    input: ['m0: &m0 { k: x }', ...Array.from({ length: 9 }, (_, index) => mergeTenTimes(index))].join('\n'),
    problems: [{ code: 'yaml_merge', at: '6:15', message: /more than 100,000 fields/, remedy: /Write out/ }],
  },
  {
    promise: 'a wide mapping that is merged again and again is refused',
    input: manyMerges,
    problems: [{ code: 'yaml_merge', at: '502:13', message: /more than 100,000 fields/, remedy: /Write out/ }],
  },
  {
    promise: 'more aliases than anybody writes are refused',
    input: `a: &a x\n${Array.from({ length: 1001 }, (_, index) => `k${index}: *a`).join('\n')}`,
    problems: [{ code: 'yaml_alias', at: '1002:8', message: /more than 1,000 aliases/, remedy: /Replace the aliases/ }],
  },
  {
    promise: 'more aliases inside of anchored values than anybody writes are refused',
    input: `a: &a x\nb: &b\n${Array.from({ length: 101 }, (_, index) => `  k${index}: *a`).join('\n')}`,
    problems: [{ code: 'yaml_alias', at: '103:9', message: /100 inside/, remedy: /Replace the aliases/ }],
  },
  {
    promise: 'a merge of something that is not a mapping is an error at the merge',
    input: `${head('Role')}spec:\n  <<: 5\n`,
    problems: [{ code: 'yaml_merge', at: '6:7', message: /not a mapping/, remedy: /<<: \*defaults/ }],
  },
  {
    promise: 'an alias inside its own value is an error',
    input: `${head('Role')}spec: &all\n  name: *all\n`,
    problems: [{ code: 'yaml_alias', at: '6:9', message: /part of its own value/, remedy: /Replace it/ }],
  },
  {
    promise: 'a field that a merge brings has the place where it is written',
    input: `${head('Role')}spec:\n  <<: { lockd: true }\n  name: x\n`,
    problems: [{ code: 'field_unknown', at: '6:9', path: 'spec.lockd', remedy: /./ }],
  },
  {
    promise: 'a document of more than a million words and marks is refused with those after it',
    input: `---\n${head('Role')}---\nx: [${'1,'.repeat(500_000)}]\n---\n${head('Rol')}`,
    problems: [{ code: 'document_too_large', at: '7:1', message: /1,000,000/, remedy: /---/ }],
  },
  {
    promise: 'a key as long as its file is cut off',
    input: `${head('Role')}spec: { ${'k'.repeat(100_000)}: 1 }\n`,
    problems: [
      {
        code: 'field_unknown',
        at: '5:9',
        path: `spec.${'k'.repeat(294)}…`,
        message: /^spec\.k{294}… is not a known field$/,
        remedy: /./,
      },
    ],
  },
  {
    promise: 'ten thousand brackets are refused, not a crash',
    input: `a: ${'['.repeat(10_000)}${']'.repeat(10_000)}`,
    problems: [{ code: 'yaml_nesting', at: '1:*', remedy: /Flatten/ }],
  },
];
