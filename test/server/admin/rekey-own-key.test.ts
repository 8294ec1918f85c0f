/** Over the embedded store only: it is about the `store.key` beside it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
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
import { startTestService, temporaryFolder } from '../support/service.ts';

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

  it('goes unnoticed by those who send requests meanwhile', async () => {
    const service = await startTestService();
    const source = await service.ok('POST', '/data-source', {
      json: { name: 'x', configUri: 'postgresql://ada:hunter2@db.internal/x' },
    });
    const answers: number[] = [];
    let stopped = false;
    const ask = async () => {
      for (let count = 0; !stopped; count += 1) {
        const { status } =
          count % 2 === 0
            ? await service.call('GET', `/data-source/${String(source['id'])}/detail`)
            : await service.call('POST', `/data-source/${String(source['id'])}`, {
                json: { configUri: `postgresql://ada:hunter2-${count}@db.internal/x` },
              });
        answers.push(status);
      }
    };
    const clients = Promise.all([ask(), ask(), ask(), ask()]);
    for (let count = 0; count < 5; count += 1) {
      const reached = answers.length + 20;
      while (answers.length < reached) await new Promise(setImmediate);
      await rekeyStore(service.store);
    }
    stopped = true;
    await clients;
    assert.deepEqual([...new Set(answers)], [200]);
    assert.equal((await service.call('GET', `/data-source/${String(source['id'])}/detail`)).status, 200);
  });
});

describe('a backup of a store whose key is being changed', () => {
  /** What `store.key` holds once a new key was made, and before the store has it. */
  const other = Buffer.alloc(32, 9).toString('base64');

  it('is restored with the file that holds both keys, of which the folder gets the one that fits', async () => {
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
