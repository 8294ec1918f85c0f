import assert from 'node:assert/strict';
import { createSecretKey, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { EntryDraft } from '../../../server/audit/entry.ts';
import { AuditTrail, trailKeys } from '../../../server/audit/trail.ts';
import { verifyTrail } from '../../../server/audit/verify.ts';
import { selectEntriesAfter } from '../../../server/store/audit.ts';
import { readAll } from '../../../server/store/pages.ts';
import { insertRole, rolePages } from '../../../server/store/role.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import type { AppendEntries, Executor, Store } from '../../../server/store/store.ts';
import { temporaryFolder } from '../support/service.ts';

const selectRoles = (executor: Executor) => readAll(executor, rolePages);

const storeKey = createSecretKey(randomBytes(32));
const at = '2026-01-01T00:00:00.000Z';
const entry = (operation: string): EntryDraft => ({
  at,
  actor: { type: 'service', id: 'test' },
  operation,
  requestId: null,
  changes: [],
});

async function open(around: (append: AppendEntries) => AppendEntries = (append) => append): Promise<Store> {
  const trail = new AuditTrail();
  trail.useKeys(trailKeys(storeKey));
  return openSqliteStore(await temporaryFolder(), around(trail.append));
}

const makeRole = (store: Store, name: string, then?: () => void) =>
  store.write(['role'], async (executor, record) => {
    await insertRole(executor, { id: name, name, createdAt: at, updatedAt: at });
    record(entry(name));
    then?.();
  });

async function operations(store: Store): Promise<string[]> {
  const stored = await store.read((executor) => selectEntriesAfter(executor, { seq: 0, limit: 100 }));
  return stored.map(({ content }) => (JSON.parse(content) as EntryDraft).operation);
}

const names = async (store: Store) => (await store.read(selectRoles)).map(({ name }) => name);

describe('an entry and its change', () => {
  it('are both there, or neither: of a group of writes those that succeed, in their order', async () => {
    const store = await open();
    const results = await Promise.allSettled([
      makeRole(store, 'a'),
      makeRole(store, 'b', () => {
        throw new Error('after all not');
      }),
      makeRole(store, 'a'),
      makeRole(store, 'c'),
    ]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    assert.deepEqual(await names(store), ['a', 'c']);
    assert.deepEqual(await operations(store), ['a', 'c']);
    const { entries, broken } = await verifyTrail(store, trailKeys(storeKey));
    assert.deepEqual([entries, broken], [2, undefined]);
    await store.close();
  });

  it('are both undone where the entry cannot be written', async () => {
    let full = false;
    const store = await open((append) => (executor, entries) => {
      if (full) throw new Error('no space is left for entries');
      return append(executor, entries);
    });
    await makeRole(store, 'a');
    full = true;
    await assert.rejects(makeRole(store, 'b'), /no space is left/);
    full = false;
    await makeRole(store, 'c');
    assert.deepEqual(await names(store), ['a', 'c']);
    assert.deepEqual(await operations(store), ['a', 'c']);
    await store.close();
  });

  it('keep one chain when several processes write', async () => {
    const folder = await temporaryFolder();
    const stores = await Promise.all(
      [1, 2, 3].map(() => {
        const trail = new AuditTrail();
        trail.useKeys(trailKeys(storeKey));
        return openSqliteStore(folder, trail.append);
      }),
    );
    await Promise.all(
      stores.flatMap((store, one) => Array.from({ length: 20 }, (_, index) => makeRole(store, `${one}-${index}`))),
    );
    const [store] = stores;
    assert.ok(store);
    const { entries, broken } = await verifyTrail(store, trailKeys(storeKey));
    assert.deepEqual([entries, broken], [60, undefined]);
    assert.deepEqual((await operations(store)).sort(), (await names(store)).sort());
    await Promise.all(stores.map((one) => one.close()));
  });
});
