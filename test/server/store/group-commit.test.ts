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
import type { Executor } from '../../../server/store/store.ts';
import { temporaryFolder } from '../support/service.ts';
import { openFaultyStore } from './faulty-store.ts';

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
      for (const begun = performance.now(); performance.now() - begun < 200; ) await findPerson(executor, 'nobody');
      assert.equal(await exists('next'), false);
      await insertPerson(executor, person('long'));
      running = false;
    });
    await new Promise(setImmediate);
    await new Promise(setImmediate);
    await Promise.all([long, insert('next')]);
    assert.ok(turns >= 5, `${turns} turns`);
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

  it('make the log long, which a thread of its own then copies into the store; the next write begins the log anew', async () => {
    const folder = await temporaryFolder();
    const small = await openSqliteStore(folder, undefined, undefined, 100);
    after(() => small.close());
    using outside = new DatabaseSync(path.join(folder, 'rolecall.db'));
    const length = () => {
      const { log, checkpointed } = outside.prepare('pragma wal_checkpoint(noop)').get() ?? {};
      return { log: Number(log), checkpointed: Number(checkpointed) };
    };
    const write = (id: string, name: string) =>
      small.write(['person'], (executor) => insertPerson(executor, { ...person(id), name }));
    await write('long', 'x'.repeat(1 << 20));
    const { log } = length();
    assert.ok(log > 200, `${log} pages`);
    // It is more than twice as long as it should be, so that the next write waits until all of it was copied.
    await write('next', 'x');
    assert.ok(length().log < 20, 'the log was not begun anew');
    for (let count = 0; count < 40; count += 1) await write(`more${count}`, 'x'.repeat(50_000));
    assert.ok(length().log <= 200 + 20, 'the log grows');
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

describe('a commit', () => {
  it('that fails fails every write of its group, and leaves nothing of them', async () => {
    let full = true;
    const faulty = await openFaultyStore(await temporaryFolder(), {
      run: (sql, real) => {
        if (sql === 'COMMIT' && full) throw new StoreUnavailableError('database or disk is full');
        real(sql);
      },
    });
    const write = (name: string) => faulty.write(['person'], (executor) => insertPerson(executor, person(name)));
    const failed = await Promise.allSettled(['a', 'b', 'c'].map(write));
    for (const result of failed) {
      assert.ok(result.status === 'rejected' && result.reason instanceof StoreUnavailableError);
    }
    full = false;
    await write('d');
    const people = await faulty.read(selectPeople);
    assert.deepEqual(
      people.map(({ id }) => id),
      ['d'],
    );
    await faulty.close();
  });

  it('that is not on disk yet is not answered, and no read sees it, while others are answered', async () => {
    const [begun, allowed] = [Promise.withResolvers<undefined>(), Promise.withResolvers<undefined>()];
    const slow = await openFaultyStore(await temporaryFolder(), {
      sync: async (real) => {
        begun.resolve(undefined);
        await allowed.promise;
        await real();
      },
    });
    let answered = false;
    const writing = slow
      .write(['person'], (executor) => insertPerson(executor, person('a')))
      .then(() => {
        answered = true;
      });
    await begun.promise;
    for (let turn = 0; turn < 5; turn += 1) {
      await new Promise(setImmediate);
      assert.deepEqual(await slow.read(selectPeople), []);
    }
    assert.equal(answered, false);
    allowed.resolve(undefined);
    await writing;
    assert.equal((await slow.read(selectPeople)).length, 1);
    await slow.close();
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
