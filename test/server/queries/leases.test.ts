import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseConnectionUri } from '@rolecall/api';
import { createGuard } from '../../../server/databases/guard/index.ts';
import { runCommands } from '../../../server/databases/run.ts';
import { Leases } from '../../../server/queries/leases.ts';
import { LiveQuery } from '../../../server/queries/live-query.ts';
import { emptySqlite } from '../support/queries.ts';
import { temporaryFolder } from '../support/stores.ts';

describe('a lease', () => {
  it('expires when it is not renewed in time, unless no other replica looks at it', async () => {
    for (const shared of [true, false]) {
      const one = new LiveQuery({
        id: 'q',
        createdAt: '2026-01-01T00:00:00.000Z',
        dataSource: 'd',
        key: 'k',
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
    const one = new LiveQuery({ id: 'q', createdAt: '2026-01-01T00:00:00.000Z', dataSource: 'd', key: 'k', bytes: 0 });
    const leases = new Leases(new Map([['q', one]]), 100, true);
    const granted = leases.begin(one);
    await sleep(150);
    granted();
    assert.throws(() => {
      leases.check(one);
    }, /the lease of the query expired/);
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
