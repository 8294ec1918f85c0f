import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { DataSourceDetail } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { assertProblem, assertRecent, uuid } from '../support/match.ts';
import { emptySqlite, errorOf, queryHelpers } from '../support/queries.ts';
import { startTestService } from '../support/service.ts';
import { hasSpooledRows, temporaryFolder } from '../support/stores.ts';

const service = await startTestService();
const make = makers(service);
const queries = queryHelpers(service);
const configUri = await emptySqlite(await temporaryFolder());
const shop = await make.dataSource({ configUri });
const series = (count: number) =>
  `with recursive c(i) as (select 1 union all select i + 1 from c where i < ${count}) select i, 'n' || i as name from c`;

describe('queries on a SQLite file', () => {
  it('have every field as specified once they are complete', async () => {
    const id = await queries.execute(
      shop.id,
      'create table t (i int)',
      'insert into t values (1), (2)',
      'select i from t',
    );
    assert.match(id, uuid);
    const query = await queries.completed(id);
    assert.deepEqual(query, { ...query, id, success: true, numResults: 3 });
    for (const time of [query.createdAt, query.startedAt, query.completedAt]) assertRecent(String(time));
    const [, changed, read] = await Promise.all([0, 1, 2].map((index) => queries.result(id, index)));
    assert.deepEqual([changed?.type, changed?.detail], ['update', { updateCount: 2 }]);
    assert.deepEqual(read?.type === 'query' && read.detail, {
      columns: [{ ordinalPosition: 0, name: 'i', type: 'INT', format: 'integer' }],
      hasMore: false,
      numRows: 2,
    });
    assert.deepEqual(await queries.rows(id, 2), [['1'], ['2']]);
  });

  it('fail as a whole: the last result is the error, and nothing of the commands stays', async () => {
    const { query, results } = await queries.run(
      shop.id,
      'create table gone (i int)',
      'select * from nowhere',
      'select 1',
    );
    assert.equal(query.success, false);
    assert.deepEqual(
      results.map(({ type }) => type),
      ['update', 'error'],
    );
    assert.match(errorOf(results.at(-1)), /nowhere/);
    const after = await queries.run(shop.id, "select count(*) from sqlite_master where name = 'gone'");
    assert.deepEqual(await queries.rows(after.query.id, 0), [['0']]);
  });

  it('give their rows in pages by seek and limit, a thousand unless asked', async () => {
    const { query } = await queries.run(shop.id, series(12_345));
    const page = async (search: string) => (await queries.rows(query.id, 0, search)).map(([i]) => Number(i));
    assert.equal((await page('')).length, 1000);
    assert.deepEqual(await page('?seek=0&limit=2'), [1, 2]);
    assert.deepEqual(await page('?seek=9999&limit=1'), [10_000]);
    assert.deepEqual(await page('?seek=12343&limit=10000'), [12_344, 12_345]);
    assert.deepEqual(await page('?seek=12345'), []);
    assert.deepEqual(await page('?seek=999999999999999'), []);
    const all = [...(await page('?limit=10000')), ...(await page('?seek=10000&limit=10000'))];
    assert.deepEqual(
      all,
      Array.from({ length: 12_345 }, (_, index) => index + 1),
    );
  });

  it('give every row on one page of several, wherever the pages begin and end', async () => {
    const { query } = await queries.run(shop.id, series(60_000));
    const expected = Array.from({ length: 60_000 }, (_, index) => String(index + 1));
    for (const limit of [10_000, 7001, 3333]) {
      const found: (string | null | undefined)[] = [];
      for (let seek = 0; seek < 60_000; seek += limit) {
        const page = await queries.rows(query.id, 0, `?seek=${seek}&limit=${limit}`);
        found.push(...page.map(([i]) => i));
      }
      // Not by deepEqual, which takes minutes to say how two long lists differ.
      assert.ok(found.join() === expected.join(), `pages of ${limit}: ${found.length} rows`);
    }
  });

  it('fail alone when their rows are more than the service keeps of one, and say so; those that came stay', async () => {
    const small = await startTestService({ queryMaxBytes: 1_000_000 });
    const source = await makers(small).dataSource({ configUri });
    const asked = queryHelpers(small);
    const within = await asked.run(source.id, series(20_000), series(20_000));
    assert.equal(within.query.success, true);
    // Half of it is not too much, all of it is: the limit is of the query and not of each result.
    const { query, results } = await asked.run(source.id, 'create table kept (i int)', series(35_000), series(35_000));
    assert.equal(query.success, false);
    assert.equal(
      errorOf(results.at(-1)),
      'the rows of the query exceed the 1000000 bytes that the service keeps for one query: select less, or ask its operator to raise --query-max-bytes',
    );
    const [, whole, broken] = results;
    assert.ok(whole?.type === 'query' && whole.detail.numRows === 35_000 && whole.detail.error === undefined);
    assert.ok(broken?.type === 'query' && broken.detail.numRows < 35_000 && broken.detail.error !== undefined);
    assert.equal(broken.detail.hasMore, false);
    const after = await asked.run(source.id, "select count(*) from sqlite_master where name = 'kept'");
    assert.deepEqual(await asked.rows(after.query.id, 0), [['0']]);
  });

  it('take a command of a million characters of any script', async () => {
    const text = '\u{1f600}'.repeat(999_980);
    const json = { commands: [`select length('${text}')`] };
    const answer = await service.ok('POST', `/data-source/${shop.id}/execute`, { json });
    const { id } = await queries.completed(String(answer['queryId']));
    assert.deepEqual(await queries.rows(id, 0), [['999980']]);
    const tooMuch = { commands: Array.from({ length: 5 }, () => `select '${'x'.repeat(999_000)}'`) };
    assertProblem(
      await service.call('POST', `/data-source/${shop.id}/execute`, { json: tooMuch }),
      413,
      'payload_too_large',
    );
  });

  it('pass exact values through, also in pages that are too large to be held', async () => {
    const awkward = `say "hi"\\ \u{1f600} \u0001 é, ]`;
    const sql = `select 9223372036854775807, null, '', '${awkward}', x'00ff', '${'€'.repeat(400_000)}' union all select 1,2,3,4,5,6`;
    const { query } = await queries.run(shop.id, sql);
    const [first, second] = await queries.rows(query.id, 0);
    assert.deepEqual(first?.slice(0, 4), ['9223372036854775807', null, '', awkward]);
    assert.equal(first[5], '€'.repeat(400_000));
    assert.equal(second?.[0], '1');
  });

  it('have rows only where a result has rows, and results only that exist', async () => {
    const { query } = await queries.run(shop.id, 'create table once (i int)', 'select 1 where 0');
    assertProblem(await service.call('GET', `/query/${query.id}/result/0/rows`), 404, 'not_found');
    assert.deepEqual(await queries.rows(query.id, 1), []);
    for (const rest of ['', '/rows']) {
      assertProblem(await service.call('GET', `/query/${query.id}/result/2${rest}`), 404, 'not_found');
    }
  });

  it('keep their rows until they are deleted', async () => {
    const { query } = await queries.run(shop.id, series(10));
    assert.ok(await hasSpooledRows(service.store, query.id));
    assert.deepEqual(await service.ok('POST', `/query/${query.id}/cancel`), {});
    assert.deepEqual(await queries.get(query.id), query, 'cancelling a complete query changes nothing');
    assert.deepEqual(await service.ok('DELETE', `/query/${query.id}`), {});
    assert.ok(!(await hasSpooledRows(service.store, query.id)));
    for (const [method, rest] of [
      ['GET', ''],
      ['DELETE', ''],
      ['POST', '/cancel'],
      ['GET', '/result/0'],
      ['GET', '/result/0/rows'],
    ] as const) {
      assertProblem(await service.call(method, `/query/${query.id}${rest}`), 404, 'not_found');
    }
  });

  it('go with their data source, those that run too', async () => {
    const source: DataSourceDetail = await make.dataSource({ configUri });
    const { query } = await queries.run(source.id, series(10));
    const running = await queries.execute(source.id, series(1e12));
    await queries.untilRows(running, 0, 1);
    await service.ok('DELETE', `/data-source/${source.id}`);
    for (const id of [query.id, running]) {
      assertProblem(await service.call('GET', `/query/${id}`), 404, 'not_found');
      assert.ok(!(await hasSpooledRows(service.store, id)));
    }
  });

  it('say why they could not connect, without having begun a result', async () => {
    const source = await make.dataSource({ configUri: 'sqlite:///nowhere/at/all.db?mode=ro' });
    const { query, results } = await queries.run(source.id, 'select 1');
    assert.deepEqual([query.success, query.numResults], [false, 1]);
    assert.notEqual(errorOf(results[0]), '');
  });
});

describe('queries that wait for a slot', () => {
  it('have not started, can be cancelled, and begin when another one ends', async () => {
    const narrow = await startTestService({ queryConcurrency: 1 });
    const asked = queryHelpers(narrow);
    const source = await makers(narrow).dataSource({ configUri });
    const first = await asked.execute(source.id, series(1e12));
    await asked.untilRows(first, 0, 1);
    const [second, third] = [await asked.execute(source.id, 'select 2'), await asked.execute(source.id, 'select 3')];
    const waiting = await asked.get(second);
    const open = { startedAt: null, completedAt: null, success: null, numResults: null };
    assert.deepEqual(waiting, { id: second, createdAt: waiting.createdAt, ...open });
    await narrow.ok('POST', `/query/${second}/cancel`);
    const cancelled = await asked.get(second);
    assert.deepEqual([cancelled.startedAt, cancelled.success, cancelled.numResults], [null, false, 1]);
    assert.equal(errorOf(await asked.result(second, 0)), 'cancelled');
    await narrow.ok('DELETE', `/query/${first}`);
    assert.equal((await asked.completed(third)).success, true);
  });
});
