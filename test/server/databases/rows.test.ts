import assert from 'node:assert/strict';
import { isUtf8 } from 'node:buffer';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { leadingWords } from '../../../server/databases/leading-words.ts';
import { withoutExponent } from '../../../server/databases/rows/decimal.ts';
import { writeText } from '../../../server/databases/rows/json-text.ts';
import { ResultWriter } from '../../../server/databases/rows/result-writer.ts';
import { beginRow, chunkOf, createRowBuffer, endRow } from '../../../server/databases/rows/row-buffer.ts';
import { type Collected, collector } from './collect.ts';

describe('rows on their way', () => {
  it('become valid UTF-8, row by row, whatever bytes a database sends', () => {
    const buffer = createRowBuffer(0);
    for (const bytes of [[0x61, 0xc3], [0xff, 0x22], [0xf0, 0x9f, 0x98], [0x62]]) {
      beginRow(buffer);
      const at = buffer.end;
      buffer.bytes[at] = 0x5b;
      const end = writeText(buffer.bytes, at + 1, Buffer.from(bytes), 0, bytes.length);
      buffer.bytes[end] = 0x5d;
      endRow(buffer, end + 1);
    }
    const { bytes, lengths, count } = chunkOf(buffer);
    assert.ok(isUtf8(bytes));
    assert.deepEqual(JSON.parse(`[${bytes.toString()}]`), [['a\ufffd'], ['\ufffd"'], ['\ufffd'], ['b']]);
    assert.equal(count, 4);
    assert.equal(
      bytes.length,
      lengths.reduce((sum, length) => sum + length + 1, -1),
    );
  });

  it('make the database wait for a slow sink, in order, and let it go on', async () => {
    const results: Collected[] = [];
    const flow: string[] = [];
    const kept = collector(results);
    const writer = new ResultWriter(
      { ...kept, rows: (...all) => sleep(5).then(() => kept.rows(...all)) },
      300_000,
      (error) => assert.fail(String(error)),
    );
    writer.control({ pause: () => flow.push('pause'), resume: () => flow.push('resume') });
    writer.start();
    writer.columns([]);
    for (let index = 0; index < 100_000; index += 1) {
      const buffer = writer.bufferFor(20);
      beginRow(buffer);
      writer.rowDone(buffer, buffer.end + buffer.bytes.write(`["${index}"]`, buffer.end));
    }
    writer.completed({ kind: 'query', updateCount: null });
    await writer.settled();
    assert.deepEqual(flow, ['pause', 'resume']);
    assert.deepEqual(
      results[0]?.rows,
      Array.from({ length: 100_000 }, (_, index) => [String(index)]),
    );
  });
});

describe('numbers with an exponent', () => {
  for (const [text, written] of [
    ['1e+21', '1000000000000000000000'],
    ['-1.5e-3', '-0.0015'],
    ['1.25e1', '12.5'],
    ['1.25e2', '125'],
    ['NaN', 'NaN'],
    ['0.10', '0.10'],
  ] as const) {
    it(`${text} is ${written}`, () => {
      assert.equal(withoutExponent(text), written);
    });
  }
});

describe('the words that a statement begins with', () => {
  const postgresql = { nested: true, hash: false, blankAfterDashes: false, lineEnd: /[\n\r]/ };
  const mysql = { nested: false, hash: true, blankAfterDashes: true, lineEnd: /\n/ };
  for (const [sql, rules, words] of [
    ['select 1', postgresql, ['SELECT']],
    ['/* /* */ select */ commit', postgresql, ['COMMIT']],
    ['/* /* */ select */ commit', mysql, ['SELECT']],
    ['--commit', mysql, []],
    ['-- a\rselect\ncommit', mysql, ['COMMIT']],
    ['-- a\rselect\ncommit', postgresql, ['SELECT', 'COMMIT']],
    ['rollback /**/ to x', postgresql, ['ROLLBACK', 'TO', 'X']],
    ['/* never ends', postgresql, []],
    ['"commit"', postgresql, []],
  ] as const) {
    it(`of ${JSON.stringify(sql)} are ${words.join(' ')}`, () => {
      assert.deepEqual(leadingWords(sql, rules, 3).words, words);
    });
  }
});
