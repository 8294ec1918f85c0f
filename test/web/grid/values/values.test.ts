import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnWidths } from '../../../../web/grid/rows/column-widths.ts';
import { cellText } from '../../../../web/grid/values/cell-text.ts';
import { hexLines } from '../../../../web/grid/values/hex-lines.ts';
import { JsonNumber, membersOf, parseTree } from '../../../../web/grid/values/json-nodes.ts';
import { duration, summary } from '../../../../web/grid/values/summary.ts';

describe('values', () => {
  it('are on one line in a cell, and cut', () => {
    assert.equal(cellText('a\r\nb\tc'), 'a↵b⇥c');
    assert.equal(cellText('x'.repeat(1000)).length, 201);
  });

  it('show the characters that would show nothing or turn the text round, and leave scripts and emoji alone', () => {
    assert.equal(cellText('a\u0007b\u202egnp.exe'), 'a⟨0007⟩b⟨202E⟩gnp.exe');
    assert.equal(cellText('مرحبا 👩‍👩‍👧 é'), 'مرحبا 👩‍👩‍👧 é');
  });

  it('decide the widths of their columns, within bounds', () => {
    const column = (name: string) => ({ ordinalPosition: 0, name, type: 'text', format: 'string' as const });
    const [short, long, wide] = columnWidths(
      [column('a'), column('b'), column('c')],
      [['x', 'x'.repeat(500), '漢字漢字漢字']],
    );
    assert.ok(short! < wide! && wide! < long!);
    assert.equal(long, 400);
  });

  it('that are bytes have offsets, digits and text', () => {
    assert.deepEqual(hexLines('48690a00ff', 100), [`00000000  48 69 0a 00 ff${' '.repeat(34)} Hi...`]);
    assert.equal(hexLines('00'.repeat(100), 32).length, 2);
    assert.deepEqual(hexLines('', 10), []);
  });

  it('that are JSON keep every digit; other texts are no trees', () => {
    const tree = parseTree('{"id": 12345678901234567890, "of": [1.50, null, true, "x"]}');
    assert.ok(tree !== undefined);
    const [id, of] = membersOf(tree) ?? [];
    assert.deepEqual(id, ['id', new JsonNumber('12345678901234567890')]);
    assert.deepEqual(membersOf(of![1])?.[0], ['0', new JsonNumber('1.50')]);
    for (const text of ['', '1', '"x"', '[1', '{a}', 'NULL']) assert.equal(parseTree(text), undefined, text);
  });
});

describe('words about a result', () => {
  const at = '2026-11-23T00:00:00.000Z';
  const fields = { queryId: '', ordinalPosition: 0, startedAt: at, completedAt: at };

  it('say how many rows there are, or were changed', () => {
    const detail = { columns: [], hasMore: true, numRows: 1 };
    assert.equal(summary({ ...fields, type: 'query', detail }), '1 row…');
    assert.equal(summary({ ...fields, type: 'update', detail: { updateCount: 12_345 } }), '12,345 rows changed');
    assert.equal(summary({ ...fields, type: 'update', detail: { updateCount: null } }), 'done');
    const error = { ...fields, type: 'error', detail: { error: 'cancelled' } } as const;
    assert.equal(summary(error, { stopReason: 'cancelled' }), 'stopped');
    assert.equal(summary(error, { stopReason: null }), 'error');
  });

  it('say how long it took', () => {
    assert.deepEqual([12.4, 4100, 125_000].map(duration), ['12 ms', '4.1 s', '2 min 05 s']);
  });
});
