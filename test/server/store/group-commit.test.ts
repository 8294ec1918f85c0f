/** A process of its own: it counts how often the event loop turns in a given time. */
import assert from 'node:assert/strict';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import { StoreUnavailableError, UniqueError } from '../../../server/store/errors.ts';
import { readAll } from '../../../server/store/pages.ts';
import { findPerson, insertPerson, peoplePages } from '../../../server/store/person.ts';
import { beginWrite } from '../../../server/store/sqlite/begin-write.ts';
import { openConnection } from '../../../server/store/sqlite/connection.ts';
import { openSqliteStore } from '../../../server/store/sqlite/open.ts';
import { createWriter } from '../../../server/store/sqlite/writer.ts';
import type { Executor } from '../../../server/store/store.ts';
import { temporaryFolder } from '../support/service.ts';

const selectPeople = (executor: Executor) => readAll(executor, peoplePages);

const dataDir = await temporaryFolder();
const store = await openSqliteStore(dataDir);
after(() => store.close());

const person = (username: string) => ({
  id: username,
  name: username,
  username,
  email: `${username}@example.com`,
  createdAt: '2026-01-01T00:00:00.000Z',
  isLocked: false,
});
const insert = (username: string) => store.write(['person'], (executor) => insertPerson(executor, person(username)));
const exists = async (id: string) => (await store.read((executor) => findPerson(executor, id))) !== undefined;

/** A view from outside, as another process would have it. */
function countOutside(): number {
  const outside = new DatabaseSync(path.join(dataDir, 'rolecall.db'), { readOnly: true });
  const row = outside.prepare('select count(*) as people from person').get();
  outside.close();
  return Number(row?.['people']);
}

describe('writes of one turn', () => {
  it('share a transaction, in which the failure of one undoes only that one', async () => {
    const before = countOutside();
    const failing = store.write(['person'], async (executor) => {
      await insertPerson(executor, person('undone'));
      throw new Error('changed my mind');
    });
    const results = await Promise.allSettled([insert('first'), failing, insert('first'), insert('last')]);
    assert.deepEqual(
      results.map(({ status }) => status),
      ['fulfilled', 'rejected', 'rejected', 'fulfilled'],
    );
    const duplicate = results[2];
    assert.ok(duplicate.status === 'rejected' && duplicate.reason instanceof UniqueError);
    assert.equal(await exists('first'), true);
    assert.equal(await exists('undone'), false);
    assert.equal(await exists('last'), true);
    assert.equal(countOutside(), before + 2);
  });

  it('let the event loop turn where they take long, and no other write comes between', async () => {
    let running = true;
    let turns = 0;
    const count = (): void => {
      turns += 1;
      if (running) setImmediate(count);
    };
    const long = store.write(['person'], async (executor) => {
      setImmediate(count);
      // In vain, the test fails by its time-out.
      while (turns < 5) await findPerson(executor, 'nobody');
      assert.equal(await exists('next'), false);
      await insertPerson(executor, person('long'));
      running = false;
    });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await Promise.all([long, insert('next')]);
    assert.deepEqual([await exists('long'), await exists('next')], [true, true]);
  });

  it('keep the order of statements that are not awaited one by one', async () => {
    await store.write(['person'], async (executor) => {
      const names = Array.from({ length: 20 }, (_, index) => `in-order-${index}`);
      for (const begun = performance.now(); performance.now() - begun < 15; );
      await Promise.all(names.map((name) => insertPerson(executor, person(name))));
    });
    const found = (await store.read(selectPeople)).filter(({ id }) => id.startsWith('in-order'));
    assert.deepEqual(
      found.map(({ id }) => id),
      Array.from({ length: 20 }, (_, index) => `in-order-${index}`),
    );
  });

  it('leave nothing of statements that were sent together with one that fails, and wait for their turn', async () => {
    const names = Array.from({ length: 5000 }, (_, index) => `sent-${index === 3 ? 2 : index}`);
    const failed = store.write(['person'], async (executor) => {
      for (const begun = performance.now(); performance.now() - begun < 15; );
      await Promise.all(names.map((name) => insertPerson(executor, person(name))));
    });
    await assert.rejects(failed, UniqueError);
    await insert('after-failed');
    assert.equal((await store.read(selectPeople)).filter(({ id }) => id.startsWith('sent-')).length, 0);
  });

  it('that are large leave a log that was copied into the store, by a thread of its own', async () => {
    const folder = await temporaryFolder();
    const large = await openSqliteStore(folder);
    after(() => large.close());
    await large.write(['person'], async (executor) => {
      for (const begun = performance.now(); performance.now() - begun < 400; ) await findPerson(executor, 'nobody');
      await insertPerson(executor, person('large'));
    });
    // The next write waits for it.
    await large.write([], (executor) => findPerson(executor, 'nobody'));
    const outside = new DatabaseSync(path.join(folder, 'rolecall.db'));
    const { log, checkpointed } = outside.prepare('pragma wal_checkpoint(noop)').get() ?? {};
    outside.close();
    assert.ok(Number(log) > 0);
    assert.equal(checkpointed, log);
  });

  it('are committed together: another process sees all of them or none', async () => {
    const before = countOutside();
    const counts: number[] = [];
    const writes = Array.from({ length: 10 }, (_, index) =>
      store.write(['person'], async (executor) => {
        await insertPerson(executor, person(`together${index}`));
        counts.push(countOutside());
      }),
    );
    await Promise.all(writes);
    assert.deepEqual(new Set(counts), new Set([before]));
    assert.equal(countOutside(), before + 10);
  });

  it('are answered only after their commit', async () => {
    let seen = false;
    await insert('answered').then(() => {
      const outside = new DatabaseSync(path.join(dataDir, 'rolecall.db'), { readOnly: true });
      seen = outside.prepare("select 1 from person where id = 'answered'").get() !== undefined;
      outside.close();
    });
    assert.ok(seen);
  });

  it('are not seen by reads before their commit, and by every read after it', async () => {
    let during: boolean | undefined;
    await store.write(['person'], async (executor) => {
      await insertPerson(executor, person('hidden'));
      during = await exists('hidden');
    });
    assert.equal(during, false);
    assert.equal(await exists('hidden'), true);
  });

  it('come in the order in which they were asked for', async () => {
    await Promise.all(['z', 'y', 'x', 'w'].map(insert));
    const people = await store.read(selectPeople);
    assert.deepEqual(
      people.slice(-4).map(({ id }) => id),
      ['z', 'y', 'x', 'w'],
    );
  });
});

describe('a commit that fails', () => {
  it('fails every write of its group, and leaves nothing of them', async () => {
    const folder = await temporaryFolder();
    await (await openSqliteStore(folder)).close();
    const real = openConnection(path.join(folder, 'rolecall.db'), 'write');
    let full = true;
    const connection = {
      ...real,
      run: (sql: string) => {
        if (sql === 'COMMIT' && full) throw new StoreUnavailableError('database or disk is full');
        real.run(sql);
      },
    };
    const writer = createWriter(connection, () => undefined);
    const write = (name: string) => writer.write(['person'], (executor) => insertPerson(executor, person(name)));
    const failed = await Promise.allSettled(['a', 'b', 'c'].map(write));
    for (const result of failed) {
      assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailableError);
    }
    full = false;
    await write('d');
    const people = await selectPeople(real);
    assert.deepEqual(
      people.map(({ id }) => id),
      ['d'],
    );
    await writer.close();
    real.close();
  });
});

describe('two stores of one file', () => {
  it('write in turns, in one process too', async () => {
    const other = await openSqliteStore(dataDir);
    const before = countOutside();
    const writes = Array.from({ length: 50 }, (_, index) =>
      (index % 2 === 0 ? store : other).write(['person'], (executor) => insertPerson(executor, person(`turn${index}`))),
    );
    await Promise.all(writes);
    assert.equal(countOutside(), before + 50);
    assert.equal((await store.read(selectPeople)).length, (await other.read(selectPeople)).length);
    await other.close();
  });

  it('are opened and read during a long write; only other writes wait, and report why', async () => {
    const outside = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
    outside.exec('BEGIN IMMEDIATE');
    const other = await openSqliteStore(dataDir);
    assert.deepEqual(await other.read(selectPeople), await store.read(selectPeople));
    await other.close();
    const waiting = openConnection(path.join(dataDir, 'rolecall.db'), 'write');
    await assert.rejects(beginWrite(waiting, 20), (error) => {
      assert.ok(error instanceof StoreUnavailableError && error.busy);
      assert.match(error.message, /^the store is busy: another process .*; try again/);
      return true;
    });
    outside.exec('ROLLBACK');
    outside.close();
    await beginWrite(waiting, 20);
    waiting.close();
  });

  it('are migrated once, however many open it at once, and none stops the event loop for another', async () => {
    const folder = await temporaryFolder();
    let longest = 0;
    let running = true;
    const turn = (before: number): void => {
      longest = Math.max(longest, performance.now() - before);
      if (running) setImmediate(turn, performance.now());
    };
    setImmediate(turn, performance.now());
    const stores = await Promise.all(Array.from({ length: 5 }, () => openSqliteStore(folder)));
    running = false;
    assert.ok(longest < 950, 'one waited for the lock as SQLite does, for a second');
    for (const one of stores) assert.deepEqual(await one.read(selectPeople), []);
    await Promise.all(stores.map((one) => one.close()));
  });
});
