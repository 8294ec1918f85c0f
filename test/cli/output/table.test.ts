import assert from 'node:assert/strict';
import { it } from 'node:test';
import { formatTable } from '../../../cli/output/table.ts';

it('a table lines up its columns, also where a character takes two of the terminal or none', () => {
  const rows = [
    ['ada', 'x'],
    ['山田', 'x'],
    ['Zoe\u0308', 'x'],
  ];
  assert.deepEqual(formatTable(['name', 'is'], rows).split('\n'), ['name  is', 'ada   x', '山田  x', 'Zoe\u0308   x']);
});

it('a table may have more rows than a function takes arguments', () => {
  const rows = Array.from({ length: 200_000 }, () => ['x']);
  assert.equal(formatTable(['a'], rows).length, 400_001);
});
