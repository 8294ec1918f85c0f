import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createKey } from '@rolecall/server';
import { startChildService } from '../support/child.ts';
import { makers } from '../support/make.ts';
import { emptySqlite, errorOf, queryHelpers } from '../support/queries.ts';
import { basic, startTestService } from '../support/service.ts';
import { askStore, hasSpooledRows, newStore, storeKind, temporaryFolder } from '../support/stores.ts';

const endless = 'with recursive c(i) as (select 1 union all select i + 1 from c) select i from c';

describe('a service that ends while a query runs', () => {
  for (const signal of ['SIGKILL', 'SIGTERM'] as const) {
    it(`leaves none open, and the rows that came can be read (${signal})`, async () => {
      const store = await newStore();
      const key = await createKey({ ...store, scope: 'admin' });
      const child = await startChildService({ ...store, queryLeaseSeconds: 2 });
      const ok = async <T>(method: string, where: string, call?: { json?: unknown }): Promise<T> => {
        const headers = { authorization: basic(key), 'content-type': 'application/json' };
        const body = call === undefined ? null : JSON.stringify(call.json);
        const answer = await fetch(`${child.url}/api/v2${where}`, { method, headers, body });
        return (await answer.json()) as T;
      };
      const asked = queryHelpers({ ok });
      const json = { name: 'x', configUri: await emptySqlite(await temporaryFolder()) };
      const { id: source } = await ok<{ id: string }>('POST', '/data-source', { json });
      const id = await asked.execute(source, 'create table t (i int)', endless);
      await asked.untilRows(id, 1, 1000);
      await child.end(signal);

      const service = await startTestService({ ...store, queryLeaseSeconds: 2 });
      const after = queryHelpers(service);
      // Where replicas share a store, the lease has to run out first.
      const query = storeKind === 'sqlite' ? await after.get(id) : await after.completed(id);
      assert.notEqual(query.completedAt, null);
      assert.deepEqual([query.success, query.numResults], [false, 3]);
      const [, rows, error] = await Promise.all([0, 1, 2].map((index) => after.result(id, index)));
      assert.match(errorOf(error), /the service stopped/);
      assert.ok(rows?.type === 'query' && rows.completedAt !== null && !rows.detail.hasMore);
      assert.match(String(rows.detail.error), /the service stopped/);
      const { numRows } = rows.detail;
      assert.ok(numRows >= 1000);
      assert.deepEqual(await after.rows(id, 1, `?seek=${numRows - 1}`), [[String(numRows)]]);
      const left = await after.run(source, "select count(*) from sqlite_master where name = 't'");
      assert.deepEqual(await after.rows(left.query.id, 0), [['0']], 'rolled back');
    });
  }
});

describe('a query whose lease expired', () => {
  it('fails, unless the lease is renewed', async () => {
    const service = await startTestService();
    const asked = queryHelpers(service);
    const source = await makers(service).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const running = await asked.execute(source.id, endless);
    const lost = '0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007';
    const insert = 'insert into query (id, data_source_id, created_at, lease_until) values ($1, $2, $3, $3)';
    await askStore(service.store, insert, [lost, source.id, new Date(Date.now() - 1000).toISOString()]);
    const leaseOf = async () => {
      const [row] = await askStore(service.store, 'select lease_until from query where id = $1', [running]);
      return String(row?.['lease_until']);
    };
    const before = await leaseOf();
    const query = await asked.completed(lost);
    assert.deepEqual([query.startedAt, query.success, query.numResults], [null, false, 1]);
    assert.match(errorOf(await asked.result(lost, 0)), /the service stopped/);
    // A task of its own renews leases, so on a busy machine that may come after.
    const end = Date.now() + 30_000;
    while ((await leaseOf()) <= before) {
      assert.ok(Date.now() < end, 'the lease was not renewed');
      await sleep(100);
    }
    assert.equal((await asked.get(running)).completedAt, null);
    await service.ok('DELETE', `/query/${running}`);
  });
});

describe('a command that takes longer than the service lets it', () => {
  it('ends, and its query is rolled back', async () => {
    const service = await startTestService({ ...(await newStore()), queryTimeoutSeconds: 0.3 });
    const source = await makers(service).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const asked = queryHelpers(service);
    const { query, results } = await asked.run(
      source.id,
      'create table t (i int)',
      `select count(*) from (${endless})`,
    );
    assert.equal(query.success, false);
    assert.equal(errorOf(results.at(-1)), 'no answer within 0.3 s');
    const { query: after } = await asked.run(source.id, "select count(*) from sqlite_master where name = 't'");
    assert.deepEqual(await asked.rows(after.id, 0), [['0']]);
    await service.close();
  });
});

describe('retention', () => {
  it('deletes completed queries with their rows, and rows that belong to nothing', async () => {
    const store = await newStore();
    const first = await startTestService(store);
    const source = await makers(first).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const { query } = await queryHelpers(first).run(source.id, 'select 1');
    const { query: orphan } = await queryHelpers(first).run(source.id, 'select 2');
    await askStore(store, 'delete from query where id = $1', [orphan.id]);
    assert.ok(await hasSpooledRows(store, orphan.id));
    await first.close();
    const later = (hours: number) => () => new Date(Date.now() + hours * 3_600_000);

    const forEver = await startTestService({ ...store, queryRetentionSeconds: 0, clock: later(1000) });
    assert.deepEqual(await queryHelpers(forEver).rows(query.id, 0), [['1']]);
    assert.ok(!(await hasSpooledRows(store, orphan.id)));
    await forEver.close();

    let hours = 23;
    const service = await startTestService({ ...store, clock: () => later(hours)() });
    assert.equal((await service.call('GET', `/query/${query.id}`)).status, 200);
    hours = 25;
    while ((await service.call('GET', `/query/${query.id}`)).status === 200) await sleep(50);
    while (await hasSpooledRows(store, query.id)) await sleep(5);
  });
});
