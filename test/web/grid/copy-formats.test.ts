import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { writeCells } from '../../../web/grid/copy-formats.ts';
import type { Column } from '../../../web/grid/rows/column.ts';
import { anyCharacter } from '../../support/any-character.ts';

const column = (name: string, format: Column['format'] = 'string'): Column => ({
  ordinalPosition: 0,
  name,
  type: format,
  format,
});
const columns = [column('id', 'integer'), column('say "hi"'), column('id')];
const rows = [
  ['12345678901234567890', 'a,b\t"c"', null],
  ['NaN', 'two\nlines | <b>', ''],
];

describe('a copy', () => {
  it('as TSV keeps its cells apart in a spreadsheet, and NULL from an empty text', () => {
    assert.equal(
      writeCells({ columns, rows }, 'tsv', true),
      'id\t"say ""hi"""\tid\n12345678901234567890\t"a,b\t""c"""\t\nNaN\t"two\nlines | <b>"\t""',
    );
    assert.equal(writeCells({ columns: columns.slice(1, 2), rows: [['a "b"\tc']] }, 'tsv', false), 'a "b"\tc');
  });

  it('as CSV is what RFC 4180 says', () => {
    assert.equal(
      writeCells({ columns, rows }, 'csv', true),
      'id,"say ""hi""",id\r\n12345678901234567890,"a,b\t""c""",\r\nNaN,"two\nlines | <b>",""',
    );
    assert.equal(writeCells({ columns, rows: [['1', '2', '3']] }, 'csv', false), '1,2,3');
  });

  it('as Markdown is a table, in which nothing of a value is markup', () => {
    assert.equal(
      writeCells({ columns, rows }, 'markdown', false),
      [
        '| id | say "hi" | id |',
        '| ---: | --- | --- |',
        '| 12345678901234567890 | a,b\t"c" | NULL |',
        '| NaN | two<br>lines \\| \\<b> |  |',
      ].join('\n'),
    );
  });

  it('as JSON has every digit and every column', () => {
    assert.equal(
      writeCells({ columns, rows }, 'json', false),
      `[
  { "id": 12345678901234567890, "say \\"hi\\"": "a,b\\t\\"c\\"", "id_2": null },
  { "id": "NaN", "say \\"hi\\"": "two\\nlines | <b>", "id_2": "" }
]`,
    );
  });

  it('as JSON can be read back, whatever the texts are', () => {
    const cell = fc.option(fc.string({ unit: anyCharacter }));
    fc.assert(
      fc.property(fc.array(fc.tuple(cell, cell), { maxLength: 5 }), (texts) => {
        const two = [column('a'), column('b')];
        const read = JSON.parse(writeCells({ columns: two, rows: texts }, 'json', true)) as { a: string; b: string }[];
        assert.deepEqual(
          read.map(({ a, b }) => [a, b]),
          texts,
        );
      }),
    );
  });
});
