import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { areaBetween, isIn, move } from '../../../../web/grid/rows/selection.ts';

const bounds = { rows: 1000, columns: 20, page: 30 };
const from = { row: 500, column: 5 };
const go = (key: string, isFar = false, start = from) => move(start, { key, isFar }, bounds);

describe('keys in the grid', () => {
  it('move by a cell, a page, and to the ends', () => {
    assert.deepEqual(go('ArrowDown'), { row: 501, column: 5 });
    assert.deepEqual(go('ArrowUp'), { row: 499, column: 5 });
    assert.deepEqual(go('ArrowLeft'), { row: 500, column: 4 });
    assert.deepEqual(go('ArrowRight'), { row: 500, column: 6 });
    assert.deepEqual(go('PageDown'), { row: 530, column: 5 });
    assert.deepEqual(go('PageUp'), { row: 470, column: 5 });
    assert.deepEqual(go('Home'), { row: 500, column: 0 });
    assert.deepEqual(go('End'), { row: 500, column: 19 });
    assert.deepEqual(go('Home', true), { row: 0, column: 0 });
    assert.deepEqual(go('End', true), { row: 999, column: 19 });
    assert.deepEqual(go('ArrowUp', true), { row: 0, column: 5 });
    assert.deepEqual(go('ArrowDown', true), { row: 999, column: 5 });
    assert.deepEqual(go('ArrowLeft', true), { row: 500, column: 0 });
    assert.deepEqual(go('ArrowRight', true), { row: 500, column: 19 });
  });

  it('stop at the edges; above the first row are the names', () => {
    assert.deepEqual(go('ArrowUp', false, { row: 0, column: 0 }), { row: -1, column: 0 });
    assert.deepEqual(go('ArrowUp', false, { row: -1, column: 0 }), { row: -1, column: 0 });
    assert.deepEqual(go('ArrowLeft', false, { row: 0, column: 0 }), { row: 0, column: 0 });
    assert.deepEqual(go('PageUp', false, { row: 3, column: 0 }), { row: 0, column: 0 });
    assert.deepEqual(go('PageDown', false, { row: 990, column: 0 }), { row: 999, column: 0 });
    assert.deepEqual(go('ArrowRight', false, { row: 0, column: 19 }), { row: 0, column: 19 });
  });

  it('that have another meaning move nothing', () => {
    assert.equal(go('x'), undefined);
    assert.equal(go('Tab'), undefined);
  });
});

describe('a selection', () => {
  it('is the rectangle between two cells, in whatever order, without the names', () => {
    const area = areaBetween({ row: 7, column: 2 }, { row: 3, column: 9 });
    assert.deepEqual(area, { rows: { first: 3, end: 8 }, columns: { first: 2, end: 10 } });
    assert.ok(isIn(area, { row: 3, column: 9 }) && isIn(area, { row: 7, column: 2 }));
    assert.ok(!isIn(area, { row: 8, column: 2 }) && !isIn(area, { row: 3, column: 10 }));
    assert.deepEqual(areaBetween({ row: -1, column: 0 }, { row: 1, column: 0 }).rows, { first: 0, end: 2 });
  });
});
