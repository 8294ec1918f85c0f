/** Over the embedded store only: it is about its folder. */
import assert from 'node:assert/strict';
import { existsSync, mkdirSync, renameSync, rmSync } from 'node:fs';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import type { Person } from '@rolecall/api';
import { backupStore, restoreStore } from '@rolecall/server';
import { StoreUnavailableError } from '../../../server/store/errors.ts';
import { readAll } from '../../../server/store/pages.ts';
import { insertPerson, peoplePages } from '../../../server/store/person.ts';
import { openConnection } from '../../../server/store/sqlite/connection.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import { createWriter } from '../../../server/store/sqlite/writer.ts';
import type { Executor } from '../../../server/store/store.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { startTestService, type TestService, temporaryFolder } from '../support/service.ts';

const selectPeople = (executor: Executor) => readAll(executor, peoplePages);

const person = (id: string) => ({
  id,
  name: id,
  username: id,
  email: `${id}@example.com`,
  createdAt: '2026-01-01T00:00:00.000Z',
  isLocked: false,
});

/** A folder for a store, which may be moved within one that is removed after the tests. */
async function newFolder(): Promise<{ dataDir: string; away: string }> {
  const folder = await temporaryFolder();
  const dataDir = path.join(folder, 'data');
  mkdirSync(dataDir);
  return { dataDir, away: path.join(folder, 'away') };
}

/** The people in the file of a store, seen from outside. */
function peopleIn(dataDir: string): string[] {
  const outside = new DatabaseSync(path.join(dataDir, 'rolecall.db'), { readOnly: true });
  const rows = outside.prepare('select username from person order by username').all();
  outside.close();
  return rows.map(({ username }) => String(username));
}

const form = (username: string) => ({ form: { name: 'Ada', username, email: `${username}@example.com` } });
const statusOf = async ({ url }: TestService, probe: string) => (await fetch(`${url}${probe}`)).status;

async function assertRefuses(service: TestService): Promise<void> {
  const write = await service.call('POST', '/person', form('lost'));
  assertProblem(write, 503, 'unavailable');
  assert.match(write.text, /nothing of the request was stored/);
  assertProblem(await service.call('GET', '/person'), 503, 'unavailable');
  assert.equal(await statusOf(service, '/readyz'), 503);
  assert.equal(await statusOf(service, '/healthz'), 200);
}

describe('a service whose data folder is moved away while it runs', () => {
  it('is not ready and acknowledges nothing, until the folder is back', async () => {
    const { dataDir, away } = await newFolder();
    const service = await startTestService({ dataDir });
    await service.ok('POST', '/person', form('before'));
    renameSync(dataDir, away);
    await assertRefuses(service);
    assert.deepEqual(peopleIn(away), ['before']);
    renameSync(away, dataDir);
    assert.equal(await statusOf(service, '/readyz'), 200);
    await service.ok('POST', '/person', form('later'));
    assert.deepEqual(peopleIn(dataDir), ['before', 'later']);
  });

  it('leaves a store alone that is restored in its place, while it runs and when it stops', async () => {
    const { dataDir, away } = await newFolder();
    const service = await startTestService({ dataDir });
    const { file } = await backupStore({ dataDir, out: `${away}.backup` });
    renameSync(dataDir, away);
    await restoreStore({ file, dataDir, keyFile: path.join(away, 'store.key'), environment: {} });
    await assertRefuses(service);
    const restored = await startTestService({ dataDir });
    const made = await makers(restored).person();
    await service.close();
    assert.deepEqual(
      (await restored.ok<Person[]>('GET', '/person')).map(({ id }) => id),
      [made.id],
    );
    assert.deepEqual(peopleIn(dataDir), [made.username]);
    assert.deepEqual(peopleIn(away), []);
  });
});

describe('a service whose data folder is deleted while it runs', () => {
  it('is not ready, acknowledges nothing, and can be stopped', async () => {
    const { dataDir } = await newFolder();
    const service = await startTestService({ dataDir });
    rmSync(dataDir, { recursive: true });
    await assertRefuses(service);
    await service.close();
    assert.ok(!existsSync(dataDir));
  });
});

describe('a write whose folder is moved', () => {
  it('before the commit stores nothing, and the error says which folder, and what to do', async () => {
    const { dataDir, away } = await newFolder();
    const store = await openSqliteStore(dataDir);
    const write = store.write(['person'], async (executor) => {
      await insertPerson(executor, person('lost'));
      renameSync(dataDir, away);
    });
    await assert.rejects(write, (error) => {
      assert.ok(error instanceof StoreUnavailableError && !error.maybeStored);
      assert.ok(error.message.startsWith(`the store is not in ${dataDir} any more: `), error.message);
      assert.match(error.message, /stop the service, put the folder back or restore a backup, and start it again$/);
      return true;
    });
    assert.throws(() => store.read(selectPeople), StoreUnavailableError);
    await store.close();
    assert.deepEqual(peopleIn(away), []);
  });

  it('during the commit is not acknowledged either, and may be stored', async () => {
    const { dataDir, away } = await newFolder();
    await (await openSqliteStore(dataDir)).close();
    const real = openConnection(path.join(dataDir, 'rolecall.db'), 'write');
    const run = (sql: string) => {
      if (sql === 'COMMIT') renameSync(dataDir, away);
      real.run(sql);
    };
    const writer = createWriter({ ...real, run }, () => undefined);
    const write = writer.write(['person'], (executor) => insertPerson(executor, person('either')));
    await assert.rejects(write, (error) => error instanceof StoreUnavailableError && error.maybeStored);
    await writer.close();
    real.close();
    assert.deepEqual(peopleIn(away), ['either']);
  });
});
