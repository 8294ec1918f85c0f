import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { columnAt, columnOffsets, ScrollScale, visibleColumns, visibleRows } from '../../../../web/grid/rows/window.ts';

describe('the part of a grid that can be seen', () => {
  it('has each column that is in sight, and no other', () => {
    const widths = fc.array(fc.integer({ min: 48, max: 400 }), { minLength: 1, maxLength: 200 });
    fc.assert(
      fc.property(widths, fc.nat(20_000), fc.integer({ min: 1, max: 2000 }), (each, left, width) => {
        const offsets = columnOffsets(each);
        const { first, end } = visibleColumns(offsets, left, width);
        for (const column of each.keys()) {
          const isInSight = offsets[column]! < left + width && offsets[column + 1]! > left;
          assert.equal(column >= first && column < end, isInSight, `column ${column}`);
        }
      }),
    );
  });

  it('has the column under each point, and the last one beyond', () => {
    const offsets = columnOffsets([100, 50, 70]);
    assert.deepEqual(
      [-5, 0, 99, 100, 149, 150, 219, 500].map((left) => columnAt(offsets, left)),
      [0, 0, 0, 1, 1, 2, 2, 2],
    );
  });

  it('has the rows in sight, and one more on either side where there is one', () => {
    const rows = { height: 28, count: 1_000_000 };
    assert.deepEqual(visibleRows(0, 280, rows), { first: 0, end: 11 });
    assert.deepEqual(visibleRows(28 * 500, 280, rows), { first: 499, end: 511 });
    assert.deepEqual(visibleRows(28 * 999_990, 280, rows), { first: 999_989, end: 1_000_000 });
    assert.deepEqual(visibleRows(0, 280, { height: 28, count: 0 }), { first: 0, end: 0 });
  });
});

describe('the scrollbar', () => {
  const scaled = new ScrollScale(28_000_000, 560);

  it('is as long as the content up to 8,000,000 pixels, and then scaled', () => {
    assert.equal(new ScrollScale(1000, 560).height, 1000);
    assert.equal(scaled.height, 8_000_000);
    assert.equal(scaled.toContent(0), 0);
    assert.equal(scaled.toContent(8_000_000 - 560), 28_000_000 - 560);
  });

  it('reaches each row: from the content to the scrollbar and back is within the pixel of the scrollbar', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000_000 }),
        fc.integer({ min: 1, max: 4000 }),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (content, viewport, share) => {
          const scale = new ScrollScale(content, viewport);
          const top = share * scale.end;
          const perPixel = Math.max(1, scale.end / Math.max(1, scale.height - viewport));
          assert.ok(Math.abs(scale.toContent(Math.round(scale.toScroll(top))) - top) <= perPixel + 1e-6);
        },
      ),
    );
  });

  it('moves the content by as many pixels as the wheel, and jumps where it is dragged', () => {
    assert.equal(scaled.follow(14_000_000, 4_000_000, 4_000_100), 14_000_100);
    assert.equal(scaled.follow(14_000_000, 4_000_000, 4_000_000), 14_000_000);
    assert.equal(scaled.follow(14_000_000, 4_000_000, 6_000_000), scaled.toContent(6_000_000));
    assert.equal(scaled.follow(300, 100, 0), 0);
    assert.equal(scaled.follow(27_999_000, 7_999_300, 8_000_000 - 560), scaled.end);
    const plain = new ScrollScale(10_000, 560);
    assert.equal(plain.follow(100, 100, 180), 180);
  });
});
