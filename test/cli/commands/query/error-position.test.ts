import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { plainPalette } from '@rolecall/reconcile';
import { findErrorPosition, placeOf } from '../../../../cli/commands/query/error-position.ts';
import { QueryFailedError } from '../../../../cli/commands/query/query-failed.ts';

/** What a database says of a statement, and what of the statement it means; undefined where that is not certain. */
const said: readonly (readonly [message: string, sql: string, rest: string | undefined])[] = [
  ['column "nam" does not exist (at character 8)', 'select nam from t', 'nam from t'],
  ['syntax error at or near "x" (at character 10)\nHint: none', "select '🚀x", 'x'],
  ['syntax error at end of input (at character 7)', 'select', ''],
  ['syntax error (at character 99)', 'select', ''],
  ["You have an error in your SQL syntax; … near 'form t' at line 2", 'select form\nform t', 'form t'],
  ["You have an error in your SQL syntax; … near '' at line 1", 'select', ''],
  ['near "form": syntax error', 'select 1 form x', 'form x'],
  ['near "x": syntax error', 'x select x', undefined],
  ['unrecognized token: "#"', 'select #', '#'],
  ['no such table: t', 'select * from t', undefined],
];

describe('the position of an error', () => {
  for (const [message, sql, rest] of said) {
    it(`of ${JSON.stringify(message)} is before ${JSON.stringify(rest)}`, () => {
      const index = findErrorPosition(message, sql);
      assert.equal(index === undefined ? undefined : sql.slice(index), rest);
    });
  }

  it('has its line, without the end of a line of Windows', () => {
    assert.deepEqual(placeOf('a\r\nbc\r\nd', 4), { line: 2, column: 2, text: 'bc' });
  });

  it('is marked under its line, with only the text around it, in which no control character acts', () => {
    const sql = `${'a'.repeat(500)}\u001béx${'b'.repeat(500)}`;
    const error = new QueryFailedError('id', 'wrong (at character 503)', sql);
    const [, line = '', mark = ''] = error.render(plainPalette).split('\n');
    assert.ok(line.length < 150);
    assert.ok(!line.includes('\u001b'));
    assert.equal(line[mark.indexOf('^')], 'x');
  });
});
