import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { StoreUnavailableError, StoreVersionError, UniqueError } from '../../../../server/store/errors.ts';
import { migrations } from '../../../../server/store/migrations/index.ts';
import { readAll } from '../../../../server/store/pages.ts';
import { findPerson, insertPerson, peoplePages } from '../../../../server/store/person.ts';
import { openPostgresStore } from '../../../../server/store/postgresql/open.ts';
import { createPool } from '../../../../server/store/postgresql/pool.ts';
import { parseStoreUrl } from '../../../../server/store/postgresql/url.ts';
import { writeTransaction } from '../../../../server/store/postgresql/write-transaction.ts';
import type { Executor } from '../../../../server/store/store.ts';
import { requires } from '../../../support/databases/parts.ts';
import { startPostgres } from '../../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../../support/databases/server.ts';

const selectPeople = (executor: Executor) => readAll(executor, peoplePages);

const person = (username: string) => ({
  id: username,
  name: username,
  username,
  email: `${username}@example.com`,
  createdAt: '2026-01-01T00:00:00.000Z',
  isLocked: false,
});

describe('the PostgreSQL store', requires('postgresql'), () => {
  let server: DatabaseServer;
  before(async () => {
    server = await startPostgres();
  });
  after(() => server.stop());

  let count = 0;
  const newDatabase = async (): Promise<string> => {
    count += 1;
    await ask(server.uri, `create database store${count}`);
    return server.uri.replace(/\/rolecall$/, `/store${count}`);
  };

  it('keeps what was written, and translates a second row to the column that is unique', async () => {
    const store = await openPostgresStore(await newDatabase());
    await store.write(['person'], (executor) => insertPerson(executor, person('ada')));
    await assert.rejects(
      store.write(['person'], (executor) => insertPerson(executor, { ...person('ADA'), id: 'other' })),
      (error) => error instanceof UniqueError && error.column === 'person.username_key',
    );
    assert.deepEqual(await store.read((executor) => findPerson(executor, 'ada')), person('ada'));
    await store.close();
  });

  it('undoes only the write of a group that failed', async () => {
    const store = await openPostgresStore(await newDatabase());
    const insert = (name: string) => store.write(['person'], (executor) => insertPerson(executor, person(name)));
    const failing = store.write(['person'], async (executor) => {
      await insertPerson(executor, person('undone'));
      throw new Error('changed my mind');
    });
    const results = await Promise.allSettled([insert('z'), failing, insert('z'), insert('a')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    const people = await store.read(selectPeople);
    assert.deepEqual(
      people.map(({ id }) => id),
      ['z', 'a'],
    );
    await store.close();
  });

  it('is migrated once, however many open it at once', async () => {
    const url = await newDatabase();
    const stores = await Promise.all(Array.from({ length: 5 }, () => openPostgresStore(url)));
    assert.deepEqual(
      await ask(url, 'select version::int, name from migration order by version'),
      migrations.map(({ name }, index) => ({ version: index + 1, name })),
    );
    await Promise.all(stores.map((store) => store.close()));
  });

  it('waits while another process migrates the store', async () => {
    const url = await newDatabase();
    const pool = createPool(parseStoreUrl(url), { max: 1, name: 'test' });
    const waiting = "select 1 from pg_stat_activity where wait_event = 'advisory' and datname = current_database()";
    const { opening } = await writeTransaction(
      pool,
      () => undefined,
      async () => {
        const begun = openPostgresStore(url);
        while ((await ask(url, waiting)).length === 0) await sleep(5);
        return { opening: begun };
      },
    );
    await (await opening).close();
    await pool.end();
    assert.equal((await ask(url, 'select version from migration')).length, migrations.length);
  });

  it('is opened and read during a long write; only other writes wait, and report why', async () => {
    const url = await newDatabase();
    await (await openPostgresStore(url)).close();
    const limits = { statement: 0, lock: 20, idleInTransaction: 0, silence: 0 };
    const pool = createPool(parseStoreUrl(url), { max: 2, name: 'test', limits });
    const write = (work: () => Promise<unknown>) => writeTransaction(pool, () => undefined, work);
    await write(async () => {
      const store = await openPostgresStore(url);
      assert.deepEqual(await store.read(selectPeople), []);
      await store.close();
      await assert.rejects(
        write(() => Promise.resolve()),
        (error) => {
          assert.ok(error instanceof StoreUnavailableError && error.busy);
          assert.match(error.message, /^the store is busy: another process .*; try again/);
          return true;
        },
      );
    });
    await pool.end();
  });

  it('of a newer version is refused', async () => {
    const url = await newDatabase();
    await (await openPostgresStore(url)).close();
    await ask(url, `insert into migration values (${migrations.length + 1}, 'from the future', '')`);
    await assert.rejects(openPostgresStore(url), StoreVersionError);
  });

  it('says why it cannot be opened, without the password', async () => {
    await assert.rejects(openPostgresStore(server.uri.replace(/\/rolecall$/, '/nowhere')), (error) => {
      assert.ok(error instanceof StoreUnavailableError);
      assert.match(error.message, /nowhere/);
      return true;
    });
    await assert.rejects(openPostgresStore('mysql://a:hunter2@127.0.0.1/x'), (error) => {
      assert.ok(error instanceof Error);
      assert.match(error.message, /must begin with postgresql/);
      assert.ok(!error.message.includes('hunter2'));
      return true;
    });
  });
});

async function ask(uri: string, text: string): Promise<unknown[]> {
  const client = new pg.Client({ connectionString: uri });
  await client.connect();
  const { rows } = await client.query(text);
  await client.end();
  return rows as unknown[];
}
