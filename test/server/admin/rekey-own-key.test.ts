/** Over the embedded store only: it is about the `store.key` beside it. */
import assert from 'node:assert/strict';
import {
  chownSync,
  lstatSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, it } from 'node:test';
import {
  backupStore,
  createKey,
  listKeys,
  rekeyStore,
  restoreStore,
  StoreKeyError,
  StoreLockedError,
} from '@rolecall/server';
import { lockKeyFile } from '../../../server/data/data-folder.ts';
import { temporaryFolder } from '../support/service.ts';

const environment = {};

async function newFolder() {
  const dataDir = await temporaryFolder();
  await createKey({ dataDir, environment, scope: 'read' });
  const file = path.join(dataDir, 'store.key');
  return { dataDir, environment, file, keys: () => readFileSync(file, 'utf8').trim().split(/\s+/) };
}

const isWhole = async (dataDir: string, env = {}) =>
  (await listKeys({ dataDir, environment: env })).every(({ intact }) => intact);

describe('store rekey on a data folder', () => {
  it('makes a new key in store.key, for its owner only, and leaves no draft', async () => {
    const store = await newFolder();
    const [old = ''] = store.keys();
    const { source, hasOldKey } = await rekeyStore(store);
    assert.equal(source, store.file);
    assert.equal(hasOldKey, false);
    assert.equal(store.keys().length, 1);
    assert.notEqual(store.keys()[0], old);
    assert.equal(statSync(store.file).mode & 0o777, 0o600);
    assert.deepEqual(
      readdirSync(store.dataDir).filter((name) => /part|\d/.test(name)),
      [],
    );
    assert.ok(await isWhole(store.dataDir));
    await assert.rejects(listKeys({ ...store, environment: { ROLECALL_STORE_KEY: old } }), StoreKeyError);
  });

  it('is done by one process at a time', async () => {
    const store = await newFolder();
    const unlock = lockKeyFile(store.dataDir);
    await assert.rejects(rekeyStore(store), StoreLockedError);
    unlock();
    const runs = await Promise.allSettled(Array.from({ length: 4 }, () => rekeyStore(store)));
    assert.ok(runs.some(({ status }) => status === 'fulfilled'));
    for (const run of runs) if (run.status === 'rejected') assert.ok(run.reason instanceof StoreLockedError);
    assert.equal(store.keys().length, 1);
    assert.ok(await isWhole(store.dataDir));
  });

  it('leaves the file to its owner where another user runs it, and behind a link where it is one', async (test) => {
    const store = await newFolder();
    const elsewhere = path.join(await temporaryFolder(), 'key');
    renameSync(store.file, elsewhere);
    symlinkSync(elsewhere, store.file);
    const isRoot = process.getuid?.() === 0;
    if (isRoot) chownSync(elsewhere, 12_345, 12_345);
    else test.diagnostic('not as root: the owner is not tried');
    const old = store.keys();
    await rekeyStore(store);
    assert.ok(lstatSync(store.file).isSymbolicLink());
    assert.notDeepEqual(store.keys(), old);
    if (isRoot) assert.equal(statSync(elsewhere).uid, 12_345);
    assert.equal(statSync(elsewhere).mode & 0o777, 0o600);
  });

  it('writes the keys into no file that others have put in the place of its draft', async () => {
    const store = await newFolder();
    const theirs = path.join(await temporaryFolder(), 'theirs');
    writeFileSync(theirs, '');
    symlinkSync(theirs, `${store.file}.part`);
    await rekeyStore(store);
    assert.equal(readFileSync(theirs, 'utf8'), '');
    assert.ok(await isWhole(store.dataDir));
  });
});

describe('a backup of a store whose key is being changed', () => {
  /** What `store.key` holds once a new key was made, and before the store has it. */
  const other = Buffer.alloc(32, 9).toString('base64');

  it('is restored with the file that holds both keys, and the folder gets the one that fits', async () => {
    const store = await newFolder();
    const [old = ''] = store.keys();
    writeFileSync(store.file, `${old}\n${other}\n`);
    const folder = await temporaryFolder();
    const file = path.join(folder, 'before.backup');
    await backupStore({ dataDir: store.dataDir, out: file });
    await rekeyStore(store);
    assert.deepEqual(store.keys(), [other]);
    const after = path.join(folder, 'after.backup');
    await backupStore({ dataDir: store.dataDir, out: after });

    const both = path.join(folder, 'both.key');
    writeFileSync(both, `${old}\n${other}\n`);
    for (const [backup, key] of [
      [file, old],
      [after, other],
    ] as const) {
      const dataDir = `${backup}.restored`;
      await restoreStore({ file: backup, dataDir, keyFile: both, environment });
      assert.equal(readFileSync(path.join(dataDir, 'store.key'), 'utf8'), `${key}\n`);
      assert.ok(await isWhole(dataDir));
    }
  });

  it('is refused with a key from before or after it, and the error says why', async () => {
    const store = await newFolder();
    const folder = await temporaryFolder();
    const file = path.join(folder, 'before.backup');
    await backupStore({ dataDir: store.dataDir, out: file });
    await rekeyStore(store);
    const restoring = restoreStore({ file, dataDir: path.join(folder, 'data'), keyFile: store.file, environment });
    await assert.rejects(
      restoring,
      /not the one that the store .* had then\. A backup from before "rolecall store rekey"/,
    );
  });
});
