import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { JsonBytes } from '../../server/json-answer.ts';
import { ListCache } from '../../server/list-cache.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import type { Collection } from '../../server/store/store.ts';
import { temporaryFolder } from './support/service.ts';

const dataDir = await temporaryFolder();
const store = await openSqliteStore(dataDir);
const other = await openSqliteStore(dataDir);
after(() => Promise.all([store.close(), other.close()]));

/** Lists rows of a known size, and counts how often they are read. */
function counted(lists: ListCache, bytes: number) {
  const reads = new Map<Collection, number>();
  return {
    reads,
    list: (collection: Collection) =>
      lists.list(collection, {
        start: 0,
        read: () => {
          reads.set(collection, (reads.get(collection) ?? 0) + 1);
          return { rows: ['x'.repeat(bytes - 4)], next: undefined };
        },
      }),
  };
}

describe('a list', () => {
  it('is read once, and again only when its collection has changed, whoever changed it', async () => {
    const { list, reads } = counted(new ListCache(store, 1000), 100);
    const first = await list('person');
    assert.equal(await list('person'), first);
    await store.write(['role'], () => undefined);
    assert.equal(await list('person'), first);
    assert.equal(reads.get('person'), 1);
    await store.write(['person'], () => undefined);
    await list('person');
    assert.equal(reads.get('person'), 2);
    await other.write(['person'], () => undefined);
    await list('person');
    assert.equal(reads.get('person'), 3);
  });

  it('does not change with a write that failed', async () => {
    const { list, reads } = counted(new ListCache(store, 1000), 100);
    await list('person');
    await assert.rejects(
      store.write(['person'], () => {
        throw new Error('no');
      }),
    );
    await list('person');
    assert.equal(reads.get('person'), 1);
  });

  it('is dropped when all together take more bytes than they may, the one used least recently first', async () => {
    const { list, reads } = counted(new ListCache(store, 250), 100);
    await list('person');
    await list('role');
    await list('person');
    await list('snippet');
    assert.deepEqual(Object.fromEntries(reads), { person: 1, role: 1, snippet: 1 });
    await list('role');
    assert.equal(reads.get('role'), 2);
    const { list: huge, reads: again } = counted(new ListCache(store, 250), 300);
    await huge('person');
    await huge('person');
    assert.equal(again.get('person'), 2);
  });

  it('is read once for all who ask at the same time, and again for who asks after a change', async () => {
    const { list, reads } = counted(new ListCache(store, 1000), 100);
    await Promise.all([list('role'), list('role')]);
    assert.equal(reads.get('role'), 1);
    const before = list('role');
    await store.write(['role'], () => undefined);
    await Promise.all([before, list('role')]);
    assert.equal(reads.get('role'), 2);
  });

  it('of several pages is read again where it changed between them, and lets others have their turn', async () => {
    const lists = new ListCache(store, 1000);
    let turns = 0;
    let turning = setImmediate(function turn() {
      turns += 1;
      turning = setImmediate(turn);
    });
    const reads: number[] = [];
    const list = await lists.list('person', {
      start: 0,
      read: async (_executor, after) => {
        reads.push(after);
        if (reads.length === 2) await store.write(['person'], () => undefined);
        return { rows: [after], next: after < 4 ? after + 1 : undefined };
      },
    });
    clearImmediate(turning);
    assert.deepEqual(reads, [0, 1, 2, 3, 4, 0, 1, 2, 3, 4]);
    assert.ok(list instanceof JsonBytes);
    assert.equal(list.bytes.toString(), '[0,1,2,3,4]');
    assert.ok(turns > 2, `${turns} turns`);
  });
});
