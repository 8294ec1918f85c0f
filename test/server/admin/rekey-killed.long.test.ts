import assert from 'node:assert/strict';
import { fork } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import type { DataSourceDetail } from '@rolecall/api';
import { listKeys, rekeyStore, StoreKeyError, verifyAudit } from '@rolecall/server';
import { startTestService } from '../support/service.ts';
import { newStore, storeKind, type TestStore, temporaryFolder, writeKeyFile } from '../support/stores.ts';

const password = 'Xq7-hunter2-Zz9';
const newKey = () => randomBytes(32).toString('base64');

/** The store, and the file of its key: `store.key`, or in a database's case one that the operator writes. */
async function fileStore(): Promise<{ store: TestStore; file: string }> {
  const store = await newStore();
  if (store.dataDir !== undefined) return { store, file: path.join(store.dataDir, 'store.key') };
  const file = path.join(await temporaryFolder(), 'key');
  await writeKeyFile(file, newKey());
  return { store: { ...store, environment: { ROLECALL_STORE_KEY_FILE: file } }, file };
}

/** @param write before which one the process is killed @returns whether it was: false where there is no such write */
async function rekeyKilled(store: TestStore, write: number): Promise<boolean> {
  const child = fork(
    path.join(import.meta.dirname, '../support/killed-rekey.ts'),
    [JSON.stringify(store), String(write)],
    {
      execArgv: ['--conditions=source'],
    },
  );
  const [code, signal] = (await once(child, 'exit')) as [number | null, string | null];
  assert.ok(code === 0 || signal === 'SIGKILL', `it ended with ${code ?? signal}`);
  return signal === 'SIGKILL';
}

describe('store rekey, killed before any of its writes', () => {
  it('leaves every secret readable to a service that runs, and is finished by the next run', async () => {
    const { store, file } = await fileStore();
    const [one, other] = [
      await startTestService(store),
      storeKind === 'sqlite' ? undefined : await startTestService(store),
    ];
    const created = { name: 'Billing', configUri: `postgresql://ada:${password}@db.internal/billing` };
    const keyed = { 'idempotency-key': 'k1' };
    const source = await one.ok<DataSourceDetail>('POST', '/data-source', { json: created, headers: keyed });
    const keysIn = async () => (await readFile(file, 'utf8')).trim().split(/\s+/);
    const check = async (when: string) => {
      for (const service of other === undefined ? [one] : [one, other]) {
        const { configUri } = await service.ok<DataSourceDetail>('GET', `/data-source/${source.id}/detail`);
        assert.match(configUri, new RegExp(password), when);
        const again = await service.call('POST', '/data-source', {
          key: one.keys.admin,
          json: created,
          headers: keyed,
        });
        assert.deepEqual(again.body, source, when);
      }
      assert.ok(
        (await listKeys(store)).every(({ intact }) => intact),
        when,
      );
      assert.equal((await verifyAudit(store)).broken, undefined, when);
    };

    let write = 0;
    for (let killed = true; killed; ) {
      write += 1;
      const [old = ''] = await keysIn();
      if (storeKind === 'postgresql') await writeKeyFile(file, old, newKey());
      killed = await rekeyKilled(store, write);
      // The run that should finish it is killed as well.
      await rekeyKilled(store, write);
      await check(`killed before write ${write}`);
      await rekeyStore(store);
      const now = await keysIn();
      if (storeKind === 'postgresql') await writeKeyFile(file, ...now.slice(-1));
      else if (killed) assert.equal(now.length, 1);
      await check(`finished after write ${write}`);
      const environment = { ROLECALL_STORE_KEY: old };
      await assert.rejects(
        listKeys({ ...store, environment }),
        StoreKeyError,
        `write ${write}: the old key still opens it`,
      );
    }
    assert.ok(write > 15, `only ${write} writes were seen`);
  });
});
