import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it } from 'node:test';
import { awkward, bound } from '../bindings.ts';
import { cellOf, fail, succeed } from '../collect.ts';

let folder: string;
let uri: string;
before(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'rolecall-sqlite-values-'));
  const file = path.join(folder, 'data.db');
  uri = `sqlite://${file}`;
  using database = new DatabaseSync(file);
  database.exec(`CREATE TABLE t (i INTEGER PRIMARY KEY);
    CREATE TABLE v (i INTEGER, big BIGINT, s VARCHAR(20), n DECIMAL(10,2), r DOUBLE PRECISION, b BLOB, d DATE, o BOOLEAN, a)`);
});
after(() => {
  rmSync(folder, { recursive: true });
});

const endless = 'WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT x FROM c';

describe('values of SQLite', () => {
  const expressions: [string, string, string, string | null][] = [
    ['9223372036854775807', 'integer', 'numeric', '9223372036854775807'],
    ['-9223372036854775807 - 1', 'integer', 'numeric', '-9223372036854775808'],
    ['9007199254740993', 'integer', 'numeric', '9007199254740993'],
    ['1.0', 'real', 'numeric', '1.0'],
    ['0.1 + 0.2', 'real', 'numeric', '0.30000000000000004'],
    ['1e21', 'real', 'numeric', '1000000000000000000000.0'],
    ['1e-7', 'real', 'numeric', '0.0000001'],
    ['9e999', 'real', 'numeric', 'Infinity'],
    ['-9e999', 'real', 'numeric', '-Infinity'],
    ['-0.0', 'real', 'numeric', '-0.0'],
    ["'a \" \\ ü 😀'", 'text', 'string', 'a " \\ ü 😀'],
    ["''", 'text', 'string', ''],
    ["x'00ff10'", 'blob', 'bytea', '00ff10'],
    ["x''", 'blob', 'bytea', ''],
    ["'a' || char(0) || 'b' || char(10)", 'text', 'string', 'a\0b\n'],
    ['NULL', 'null', 'string', null],
    ["datetime('2026-11-21T12:00:00Z')", 'text', 'string', '2026-11-21 12:00:00'],
    ['json(\'{"a": 1.10}\')', 'text', 'string', '{"a":1.10}'],
  ];
  for (const [expression, type, format, text] of expressions) {
    it(`${expression} is ${text ?? 'null'}`, async () => {
      const { value, column } = await cellOf(uri, `SELECT ${expression} AS v`);
      assert.deepEqual({ ...column, value }, { ordinalPosition: 0, name: 'v', type, format, value: text });
    });
  }

  it('of a table have the types and formats that were declared', async () => {
    const results = await succeed(
      uri,
      "INSERT INTO v VALUES (1, 9007199254740993, 12, '1.5', 2, 'text', '2026-11-21', true, x'01')",
      "INSERT INTO v VALUES ('no number', NULL, x'ff', 1, 'x', x'ff', 20261121, 'yes', 'any')",
      'SELECT * FROM v',
      'DELETE FROM v',
    );
    assert.deepEqual(
      results[2]?.columns?.map(({ name, type, format }) => [name, type, format]),
      [
        ['i', 'INTEGER', 'integer'],
        ['big', 'BIGINT', 'integer'],
        ['s', 'VARCHAR(20)', 'string'],
        ['n', 'DECIMAL(10,2)', 'numeric'],
        ['r', 'DOUBLE PRECISION', 'numeric'],
        ['b', 'BLOB', 'bytea'],
        ['d', 'DATE', 'string'],
        ['o', 'BOOLEAN', 'numeric'],
        ['a', 'blob', 'bytea'],
      ],
    );
    assert.deepEqual(results[2].rows, [
      ['1', '9007199254740993', '12', '1.5', '2.0', 'text', '2026-11-21', '1', '01'],
      ['no number', null, 'ff', '1', 'x', 'ff', '20261121', 'yes', 'any'],
    ]);
  });

  it('have columns of the same name, and no rows', async () => {
    const results = await succeed(uri, 'SELECT 1 AS a, 2 AS a', 'SELECT i FROM t WHERE false');
    assert.deepEqual(
      results.map(({ columns, rows }) => [columns?.map(({ name }) => name), rows]),
      [
        [['a', 'a'], [['1', '2']]],
        [['i'], []],
      ],
    );
  });

  it('of a megabyte come whole', async () => {
    const { value } = await cellOf(uri, "SELECT replace(hex(zeroblob(500000)), '0', char(1))");
    assert.equal(value, '\u0001'.repeat(1_000_000));
    assert.match(await fail(uri, 'SELECT zeroblob(20000000)'), /longer than 16 MiB/);
  });

  it('of many rows come whole and in order', async () => {
    const [result] = await succeed(uri, `${endless} LIMIT 200000`);
    assert.equal(result?.rows.length, 200_000);
    assert.ok(result.rows.every(([x], index) => x === String(index + 1)));
  });

  it('are bound to parameters by their names and numbers, and never become SQL', async () => {
    assert.deepEqual(await bound(uri, 'select :a, @b, $c', { a: awkward, b: null, c: '' }), [awkward, null, '']);
    assert.deepEqual(await bound(uri, 'select ?, ? || 1', { 1: awkward, 2: '4' }), [awkward, '41']);
    assert.deepEqual(await bound(uri, 'select ?2, ?1', { 1: 'one', 2: 'two' }), ['two', 'one']);
    assert.deepEqual(await bound(uri, 'select i from v where i = :i union all select 7 limit :n', { i: '1', n: '1' }), [
      '7',
    ]);
    assert.match(String(await bound(uri, 'select :a', { b: '1' })), /Unknown named parameter 'b'/);
    assert.match(String(await bound(uri, 'select ?', { 1: '1', 2: '2' })), /range/);
  });
});
