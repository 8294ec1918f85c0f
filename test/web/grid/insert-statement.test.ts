import assert from 'node:assert/strict';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { insertStatement } from '../../../web/grid/insert-statement.ts';
import type { Column } from '../../../web/grid/rows/column.ts';

const column = (name: string, format: Column['format'] = 'string'): Column => ({
  ordinalPosition: 0,
  name,
  type: format,
  format,
});

describe('a copy as INSERT', () => {
  it('is a statement that writes the same values, and does nothing else', () => {
    const columns = [column('order', 'integer'), column('say "hi"'), column('raw', 'bytea'), column('rate', 'numeric')];
    const text = `it's \\n; drop table "x" --`;
    const rows = [
      ['12', text, '00ff', 'NaN'],
      ['-3', '', null, '1.50'],
    ];
    const database = new DatabaseSync(':memory:');
    database.exec('create table table_name ("order" integer, "say ""hi""" text, raw blob, rate numeric)');
    database.exec(insertStatement(columns, rows, 'sqlite'));
    const written = database.prepare('select "order", "say ""hi""" as said, hex(raw) as raw, rate from table_name');
    assert.deepEqual(
      written.all().map((row) => Object.values(row)),
      [
        [12, text, '00FF', 'NaN'],
        [-3, '', '', 1.5],
      ],
    );
    database.close();
  });

  it('has the names, bytes, backslashes and times that each database reads', () => {
    const columns = [column('order'), column('raw', 'bytea'), column('at', 'timestamptz')];
    const rows = [[`a\\'b`, '0a', '2026-11-26T15:00:00.000Z']];
    for (const type of ['mysql', 'mariadb'] as const) {
      assert.equal(
        insertStatement(columns, rows, type),
        "INSERT INTO table_name (`order`, raw, at) VALUES\n  ('a\\\\''b', X'0a', CONVERT_TZ('2026-11-26T15:00:00.000', '+00:00', @@time_zone));",
      );
    }
    assert.equal(
      insertStatement(columns, rows, 'postgresql'),
      `INSERT INTO table_name ("order", raw, at) VALUES\n  ('a\\''b', '\\x0a', '2026-11-26T15:00:00.000Z');`,
    );
  });
});
