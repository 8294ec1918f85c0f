import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { findErrorPosition } from '@rolecall/api/cells';

const blanks = ' '.repeat(64);

/** What a database says of a statement, and what of the statement it means; undefined where that is not certain. */
const said: readonly (readonly [message: string, sql: string, rest: string | undefined])[] = [
  ['column "nam" does not exist (at character 8)', 'select nam from t', 'nam from t'],
  ['column "x" does not exist (at character 8); Hint: look', 'select x', 'x'],
  ['syntax error at or near "x" (at character 10)\nHint: none', "select '🚀x", 'x'],
  ['syntax error at end of input (at character 7)', 'select', ''],
  ['syntax error (at character 99)', 'select', undefined],
  ["You have an error in your SQL syntax; … near 'form t' at line 2", 'select form\nform t', 'form t'],
  [
    "You have an error in your SQL syntax; … near 'form t where (a' at line 1",
    'select form t\r\n\n where (a',
    'form t\r\n\n where (a',
  ],
  // Blanks that each could stand for several would take years.
  [
    `You have an error in your SQL syntax; … near 'form${blanks}t' at line 1`,
    `select form${blanks}t`,
    `form${blanks}t`,
  ],
  ["You have an error in your SQL syntax; … near '' at line 1", 'select', ''],
  ['near "form": syntax error', 'select 1 form x', 'form x'],
  ['near "x": syntax error', 'x select x', undefined],
  ['unrecognized token: "#"', 'select #', '#'],
  ['no such table: main.orders', 'select * from orders', 'orders'],
  ['no such table: t', 'select * from t', undefined],
  ['the server closed the connection', 'select 1', undefined],
];

describe('the position of an error', () => {
  for (const [message, sql, rest] of said) {
    it(`of ${JSON.stringify(message)} is before ${JSON.stringify(rest)}`, () => {
      const index = findErrorPosition(message, sql);
      assert.equal(index === undefined ? undefined : sql.slice(index), rest);
    });
  }
});
