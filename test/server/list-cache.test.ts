import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createListCache } from '../../server/list-cache.ts';
import { openSqliteStore } from '../../server/store/sqlite/open.ts';
import type { Collection } from '../../server/store/store.ts';
import { temporaryFolder } from './support/service.ts';

const dataDir = await temporaryFolder();
const store = await openSqliteStore(dataDir);
const other = await openSqliteStore(dataDir);
after(() => Promise.all([store.close(), other.close()]));

/** Lists rows of a known size, and counts how often they are read. */
function counted(lists: ReturnType<typeof createListCache>, bytes: number) {
  const reads = new Map<Collection, number>();
  return {
    reads,
    list: (collection: Collection) =>
      lists.list(collection, () => {
        reads.set(collection, (reads.get(collection) ?? 0) + 1);
        return ['x'.repeat(bytes - 4)];
      }),
  };
}

describe('a list', () => {
  it('is read once, and again only when its collection has changed, by whoever', async () => {
    const { list, reads } = counted(createListCache(store, 1000), 100);
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
    const { list, reads } = counted(createListCache(store, 1000), 100);
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
    const { list, reads } = counted(createListCache(store, 250), 100);
    await list('person');
    await list('role');
    await list('person');
    await list('snippet');
    assert.deepEqual(Object.fromEntries(reads), { person: 1, role: 1, snippet: 1 });
    await list('role');
    assert.equal(reads.get('role'), 2);
    const { list: huge, reads: again } = counted(createListCache(store, 250), 300);
    await huge('person');
    await huge('person');
    assert.equal(again.get('person'), 2);
  });
});
