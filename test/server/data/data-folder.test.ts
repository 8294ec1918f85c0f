/** Over the embedded store only: it is about its folder. */
import assert from 'node:assert/strict';
import { chmod, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { describe, it } from 'node:test';
import { createKey, listKeys, StoreKeyError, StoreLockedError, startService } from '@rolecall/server';
import { makers } from '../support/make.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';

const environment = {};
const mode = async (file: string) => (await stat(file)).mode & 0o777;

describe('the data folder', () => {
  it('is closed to everybody else, and so is every file in it', async (test) => {
    const dataDir = path.join(await temporaryFolder(), 'deep', 'data');
    const service = await startService({ dataDir, environment });
    test.after(() => service.close());
    assert.equal(await mode(dataDir), 0o700);
    for (const file of await readdir(dataDir)) assert.equal(await mode(path.join(dataDir, file)), 0o600, file);
  });

  it('keeps its mode when it is a folder of something else, however often it is opened', async (test) => {
    const dataDir = await temporaryFolder();
    await writeFile(path.join(dataDir, 'notes.txt'), '');
    await chmod(dataDir, 0o1777);
    await createKey({ dataDir, environment, scope: 'read' });
    await listKeys({ dataDir, environment });
    const service = await startService({ dataDir, environment });
    test.after(() => service.close());
    assert.equal((await stat(dataDir)).mode & 0o7777, 0o1777);
    for (const file of await readdir(dataDir)) {
      if (file !== 'notes.txt') assert.equal(await mode(path.join(dataDir, file)), 0o600, file);
    }
  });

  it('is closed again when there is nothing in it but what the service makes', async () => {
    const service = await startTestService();
    const { dataDir } = service;
    const target = await makers(service).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    await queryHelpers(service).run(target.id, 'select 1');
    // What a crash leaves behind.
    for (const draft of [
      'rolecall.db.part',
      'rolecall.db.part-journal',
      'store.key.123-0a1b2c3d',
      'service.lock-journal',
    ]) {
      await writeFile(path.join(dataDir, draft), '', { flag: 'a' });
    }
    const names = await readdir(dataDir);
    for (const name of ['rolecall.db-wal', 'service.pid', 'spool']) assert.ok(names.includes(name), name);
    await chmod(dataDir, 0o755);
    await listKeys({ dataDir, environment });
    assert.equal(await mode(dataDir), 0o700);
  });

  it('is served by one process only, which the error names', async (test) => {
    const dataDir = await temporaryFolder();
    const service = await startService({ dataDir, environment });
    test.after(() => service.close());
    const second = startService({ dataDir, environment }).then((other) => other.close());
    await assert.rejects(second, (error) => {
      assert.ok(error instanceof StoreLockedError);
      assert.match(error.message, new RegExp(`pid ${process.pid}`));
      return true;
    });
    await createKey({ dataDir, environment, scope: 'read' });
    await service.close();
    await (await startService({ dataDir, environment })).close();
  });

  it('is taken over from a process that died', async () => {
    const dataDir = await temporaryFolder();
    await mkdir(dataDir, { recursive: true });
    await writeFile(path.join(dataDir, 'service.pid'), '999999\n');
    await writeFile(path.join(dataDir, 'service.lock'), '');
    await (await startService({ dataDir, environment })).close();
  });
});

describe('a data folder that cannot be made', () => {
  it('is refused, also where the file system takes no folder', async () => {
    await assert.rejects(startService({ dataDir: '/proc/none/data', environment }), { path: '/proc/none' });
  });
});

describe('the key of the store', () => {
  it('is made once, beside the store', async () => {
    const dataDir = await temporaryFolder();
    await Promise.all(Array.from({ length: 4 }, () => createKey({ dataDir, environment, scope: 'read' })));
    const made = await readFile(path.join(dataDir, 'store.key'), 'utf8');
    assert.match(made, /^[A-Za-z0-9+/]{43}=\n$/);
    await createKey({ dataDir, environment, scope: 'read' });
    assert.equal(await readFile(path.join(dataDir, 'store.key'), 'utf8'), made);
    assert.equal((await listKeys({ dataDir, environment })).length, 5);
  });

  it('may come from the environment or a file, and then none is made', async () => {
    const given = Buffer.alloc(32, 7).toString('base64');
    const file = path.join(await temporaryFolder(), 'key');
    await writeFile(file, `${given}\n`);
    const dataDir = await temporaryFolder();
    await createKey({ dataDir, environment: { ROLECALL_STORE_KEY: given }, scope: 'read' });
    await createKey({ dataDir, environment: { ROLECALL_STORE_KEY_FILE: file }, scope: 'read' });
    assert.ok(!(await readdir(dataDir)).includes('store.key'));
  });

  it('that is missing, malformed or another one is an error that does not repeat it', async () => {
    const dataDir = await temporaryFolder();
    await createKey({ dataDir, environment, scope: 'read' });
    const other = Buffer.alloc(32, 9).toString('base64');
    const open = (values: Record<string, string>) => listKeys({ dataDir, environment: values });
    for (const [values, message] of [
      [{ ROLECALL_STORE_KEY: other }, /not the one/],
      [{ ROLECALL_STORE_KEY: 'c2hvcnQ=' }, /32 bytes/],
      [{ ROLECALL_STORE_KEY: `${other}!` }, /32 bytes/],
      [{ ROLECALL_STORE_KEY_FILE: '/nowhere/key' }, /does not exist/],
    ] as const) {
      await assert.rejects(open(values), (error) => {
        assert.ok(error instanceof StoreKeyError);
        assert.match(error.message, message);
        assert.ok(!error.message.includes(other));
        return true;
      });
    }
    await rm(path.join(dataDir, 'store.key'));
    await assert.rejects(open({}), /missing/);
    assert.ok(!(await readdir(dataDir)).includes('store.key'), 'a new key would make the old secrets unreadable');
  });
});

describe('secrets', () => {
  it('are in no file of the store', async () => {
    const service = await startTestService();
    const password = 'Xq7-hunter2-Zz9';
    const source = await makers(service).dataSource({ configUri: `postgresql://u:${password}@db/x` });
    await service.ok('POST', `/data-source/${source.id}`, { form: { configUri: `mysql://u:${password}@db/y` } });
    await service.ok('GET', `/data-source/${source.id}/detail`);
    const files = await Promise.all(
      (await readdir(service.dataDir)).map((file) => readFile(path.join(service.dataDir, file))),
    );
    const bytes = Buffer.concat(files);
    assert.ok(bytes.includes('mysql://u@db'), 'what lists show is there in the clear');
    for (const secret of [password, ...Object.values(service.keys).map((key) => key.secret)]) {
      for (const form of [
        secret,
        Buffer.from(secret).toString('base64').slice(0, -4),
        Buffer.from(secret).toString('hex'),
      ]) {
        assert.ok(!bytes.includes(form), `${form} stands in a file of the store`);
      }
    }
  });

  it('open for their own row only, and only when they were not changed', async () => {
    const { createSeal } = await import('../../../server/secrets/seal.ts');
    const { createSecretKey } = await import('node:crypto');
    const seal = createSeal(createSecretKey(Buffer.alloc(32, 1)));
    const sealed = seal.close('secret', 'row1');
    assert.equal(seal.open(sealed, 'row1'), 'secret');
    assert.notDeepEqual(seal.close('secret', 'row1'), sealed, 'the same secret twice must not look the same');
    assert.throws(() => seal.open(sealed, 'row2'), StoreKeyError);
    for (const position of [0, 1, 13, 29, sealed.length - 1]) {
      const changed = Uint8Array.from(sealed);
      changed[position] = (changed[position] ?? 0) ^ 1;
      assert.throws(() => seal.open(changed, 'row1'), StoreKeyError);
    }
  });
});
