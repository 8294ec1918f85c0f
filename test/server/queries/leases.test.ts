import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { createGuard } from '../../../server/databases/guard/index.ts';
import { runCommands } from '../../../server/databases/run.ts';
import { Leases } from '../../../server/queries/leases.ts';
import { LiveQuery } from '../../../server/queries/live-query.ts';
import { startRenewals } from '../../../server/queries/maintenance.ts';
import type { Executor, Store } from '../../../server/store/store.ts';
import { type Pass, stopTime } from '../../support/mocked-time.ts';
import { emptySqlite } from '../support/queries.ts';
import { temporaryFolder } from '../support/stores.ts';

const at = '2026-01-01T00:00:00.000Z';

describe('a lease', () => {
  it('expires when it is not renewed in time, unless no other replica looks at it', async () => {
    for (const shared of [true, false]) {
      const one = new LiveQuery({
        id: 'q',
        createdAt: '2026-01-01T00:00:00.000Z',
        dataSource: 'd',
        asker: 'k',
        bytes: 0,
      });
      const leases = new Leases(new Map([['q', one]]), 100, shared);
      leases.begin(one)();
      leases.check(one);
      await sleep(150);
      if (shared)
        assert.throws(() => {
          leases.check(one);
        }, /the lease of the query expired/);
      else leases.check(one);
    }
  });

  it('counts from before the request for it', async () => {
    const one = new LiveQuery({
      id: 'q',
      createdAt: '2026-01-01T00:00:00.000Z',
      dataSource: 'd',
      asker: 'k',
      bytes: 0,
    });
    const leases = new Leases(new Map([['q', one]]), 100, true);
    const granted = leases.begin(one);
    await sleep(150);
    granted();
    assert.throws(() => {
      leases.check(one);
    }, /the lease of the query expired/);
  });
});

describe('renewals of leases', () => {
  /** In milliseconds. */
  const lasts = 1000;
  const errors: unknown[] = [];

  function start(write: (work: () => Promise<() => void>) => Promise<() => void>) {
    const one = new LiveQuery({ id: 'q', createdAt: at, dataSource: 'd', asker: 'k', bytes: 0 });
    one.stored = true;
    const leases = new Leases(new Map([['q', one]]), lasts, true);
    leases.begin(one)();
    const executor = { now: () => new Date(), all: () => [] } as unknown as Executor;
    const store = {
      write: (_changes: unknown, work: (with_: Executor) => Promise<() => void>) => write(() => work(executor)),
    } as unknown as Store;
    const ticker = startRenewals({ store, leases, runner: 'r' }, (error) => errors.push(error));
    return { one, leases, ticker };
  }

  async function assertHeld(leases: Leases, one: LiveQuery, pass: Pass, ms: number): Promise<void> {
    for (let passed = 0; passed < ms; passed += 10) {
      leases.check(one);
      await pass(10);
    }
  }

  it('come as soon as a store answers that stood still for most of a lease, and failed what was under way', async (test) => {
    const pass = stopTime(test);
    let writes = 0;
    const { one, leases, ticker } = start(async (work) => {
      writes += 1;
      if (writes === 1) {
        await sleep(0.6 * lasts);
        throw new Error('the store is away');
      }
      return work();
    });
    await assertHeld(leases, one, pass, 2 * lasts);
    await ticker.stop();
    assert.equal(errors.length, 1);
  });

  it('count from when the store takes them, however long the write waited', async (test) => {
    const pass = stopTime(test);
    const { one, leases, ticker } = start(async (work) => {
      await sleep(0.6 * lasts);
      return work();
    });
    await assertHeld(leases, one, pass, 3 * lasts);
    const stopped = ticker.stop();
    await pass(lasts);
    await stopped;
  });
});

describe('what is asked before the commit', () => {
  it('undoes all commands when it throws', async () => {
    const uri = parseConnectionUri(await emptySqlite(await temporaryFolder()));
    const nothing = { started() {}, columns() {}, completed() {}, failed() {} };
    const rows: string[] = [];
    const sink = { ...nothing, rows: (_result: number, { bytes }: { bytes: Buffer }) => void rows.push(String(bytes)) };
    const options = { guard: createGuard({ files: { folders: ['/'] } }), signal: new AbortController().signal };
    const refused = await runCommands(uri, ['create table t (i int)'], sink, {
      ...options,
      beforeCommit: () => {
        throw new Error('too late');
      },
    });
    assert.ok(!refused.success && refused.message === 'too late');
    await runCommands(uri, ["select count(*) from sqlite_master where name = 't'"], sink, options);
    assert.deepEqual(rows, ['["0"]']);
  });
});
