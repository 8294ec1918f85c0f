import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { arrange } from '../../../../web/grid/rows/arrange.ts';
import type { Column } from '../../../../web/grid/rows/column.ts';

const columns = (format: Column['format']): Column[] => [{ ordinalPosition: 0, name: 'a', type: format, format }];
const sorted = (values: readonly (string | null)[], format: Column['format'], direction: 'ascending' | 'descending') =>
  arrange(
    values.map((value) => [value]),
    columns(format),
    { filter: '', sorting: { column: 0, direction } },
  ).map((index) => values[index]);

describe('sorting', () => {
  it('sorts numbers by their value, also beyond 2^53, and NULL last in both directions', () => {
    const values = ['10', '9', null, '-1', '9007199254740993', '9007199254740992', '0.10', '0.1', 'NaN'];
    assert.deepEqual(sorted(values, 'numeric', 'ascending'), [
      ...['-1', '0.10', '0.1', '9', '10', '9007199254740992', '9007199254740993', 'NaN'],
      null,
    ]);
    assert.equal(sorted(values, 'numeric', 'descending').at(-1), null);
    assert.equal(sorted(values, 'numeric', 'descending')[1], '9007199254740993');
  });

  it('sorts integers of any size as BigInt does', () => {
    const integer = fc.bigInt({ min: -(10n ** 30n), max: 10n ** 30n });
    fc.assert(
      fc.property(fc.array(integer), (numbers) => {
        const expected = numbers.toSorted((one, other) => (one < other ? -1 : Number(one > other))).map(String);
        assert.deepEqual(sorted(numbers.map(String), 'integer', 'ascending'), expected);
      }),
    );
  });

  it('sorts texts as people do, and times by when they are', () => {
    assert.deepEqual(sorted(['b', 'ä', 'a', 'B'], 'string', 'ascending'), ['a', 'ä', 'b', 'B']);
    assert.deepEqual(sorted(['2026-11-02', '2025-12-31', '2026-01-03'], 'date', 'descending'), [
      '2026-11-02',
      '2026-01-03',
      '2025-12-31',
    ]);
  });
});

describe('the filter', () => {
  it('keeps rows with a cell that contains the text in any case, in their order; NULL contains nothing', () => {
    const rows = [
      ['Ada', null],
      ['ben', 'x'],
      [null, 'ADAM'],
      ['null', 'y'],
    ];
    const both = [...columns('string'), ...columns('string')];
    const kept = (filter: string) => arrange(rows, both, { filter, sorting: undefined });
    assert.deepEqual(kept('ada'), [0, 2]);
    assert.deepEqual(kept('NULL'), [3]);
    assert.deepEqual(kept(''), [0, 1, 2, 3]);
  });
});
