import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Row } from '../../../../web/grid/rows/column.ts';
import { type ReadRows, RowPages } from '../../../../web/grid/rows/row-pages.ts';

interface Request {
  readonly seek: number;
  readonly limit: number;
}

/** A result of numbered rows, whose reading can be made to fail. */
function start({ count = 1_000_000, columns = 1, text = '' } = {}) {
  const requests: Request[] = [];
  const state = { failing: false, changes: 0, count };
  const read: ReadRows = (seek, limit) => {
    requests.push({ seek, limit });
    if (state.failing) return Promise.reject(new Error('the network is down'));
    const size = Math.max(0, Math.min(limit, state.count - seek));
    return Promise.resolve(Array.from({ length: size }, (_none, index): Row => [`${seek + index}${text}`]));
  };
  const pages = new RowPages({ read, columns, count, onChange: () => (state.changes += 1) });
  return { pages, requests, state };
}

describe('pages of rows', () => {
  it('are read where rows are looked at, once', async () => {
    const { pages, requests } = start();
    await pages.want({ first: 500_000, end: 500_030 });
    assert.deepEqual([pages.get(500_000), pages.get(500_029), pages.get(3)], [['500000'], ['500029'], undefined]);
    assert.ok(requests.every(({ limit }) => limit <= 200));
    const { length } = requests;
    await pages.want({ first: 500_010, end: 500_040 });
    assert.equal(requests.length, length);
  });

  it('are smaller where rows are wide or large', async () => {
    const wide = start({ columns: 1000 });
    await wide.pages.want({ first: 100, end: 110 });
    assert.equal(wide.requests.at(-1)?.limit, 10);
    const large = start({ text: 'x'.repeat(1_000_000) });
    await large.pages.want({ first: 100, end: 101 });
    assert.equal(large.requests.at(-1)?.limit, 1);
  });

  it('are read together where what is looked at lies on two', async () => {
    const { pages, requests } = start({ columns: 100 });
    await pages.want({ first: 0, end: 30 });
    await pages.want({ first: 190, end: 220 });
    await pages.want({ first: 320, end: 350 });
    assert.deepEqual(requests.slice(1), [
      { seek: 0, limit: 100 },
      { seek: 100, limit: 200 },
      { seek: 300, limit: 100 },
    ]);
    assert.deepEqual(
      [pages.get(100), pages.get(199), pages.get(200), pages.get(299)],
      [['100'], ['199'], ['200'], ['299']],
    );
  });

  it('that are old make room for new ones', async () => {
    const { pages } = start({ text: 'x'.repeat(10_000) });
    for (let first = 0; first < 4000; first += 200) await pages.want({ first, end: first + 200 });
    assert.equal(pages.get(0), undefined);
    assert.notEqual(pages.get(3999), undefined);
  });

  it('that fail are known as failed, and are read again on demand only', async () => {
    const { pages, requests, state } = start();
    await pages.want({ first: 0, end: 30 });
    state.failing = true;
    await pages.want({ first: 1000, end: 1030 });
    assert.equal(pages.failedIn({ first: 1000, end: 1030 })?.error.message, 'the network is down');
    assert.deepEqual(pages.failedIn({ first: 1010, end: 1020 })?.rows, { first: 1000, end: 1200 });
    assert.equal(pages.failedIn({ first: 0, end: 30 }), undefined);
    const { length } = requests;
    await pages.want({ first: 1000, end: 1030 });
    assert.equal(requests.length, length);
    state.failing = false;
    pages.retry();
    await pages.want({ first: 1000, end: 1030 });
    assert.deepEqual(pages.get(1000), ['1000']);
  });

  it('fail where nothing could be read from the beginning, and come after a retry', async () => {
    const { pages, state } = start();
    state.failing = true;
    await pages.want({ first: 0, end: 30 });
    assert.equal(pages.failedIn({ first: 0, end: 30 })?.error.message, 'the network is down');
    state.failing = false;
    pages.retry();
    await pages.want({ first: 0, end: 30 });
    assert.deepEqual(pages.get(0), ['0']);
  });

  it('grow while the rows of a query come', async () => {
    const { pages, state } = start({ count: 50 });
    await pages.want({ first: 0, end: 50 });
    assert.equal(pages.get(60), undefined);
    state.count = 150;
    pages.grow(150);
    await pages.want({ first: 40, end: 80 });
    assert.deepEqual(pages.get(60), ['60']);
  });

  it('give rows in order, also those that were not looked at', async () => {
    const { pages } = start({ count: 3000 });
    await pages.want({ first: 1000, end: 1030 });
    const rows = await pages.load({ first: 900, end: 5000 }, new AbortController().signal);
    assert.deepEqual([rows.length, rows[0], rows.at(-1)], [2100, ['900'], ['2999']]);
  });
});
