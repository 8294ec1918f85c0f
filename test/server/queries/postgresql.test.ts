import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { DataSourceDetail } from '@rolecall/api';
import pg from 'pg';
import { requires } from '../../support/databases/parts.ts';
import { startPostgres } from '../../support/databases/postgres.ts';
import type { DatabaseServer } from '../../support/databases/server.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { errorOf, queryHelpers } from '../support/queries.ts';
import { startTestService } from '../support/service.ts';

const service = await startTestService();
const queries = queryHelpers(service);
const endless = 'select generate_series(1, 1000000000000)';

describe('queries on PostgreSQL', requires('postgresql'), () => {
  let server: DatabaseServer;
  let admin: pg.Client;
  let source: DataSourceDetail;
  before(async () => {
    server = await startPostgres();
    admin = new pg.Client({ connectionString: server.uri });
    await admin.connect();
    await admin.query('create table t (i int)');
    source = await makers(service).dataSource({ configUri: server.uri });
  });
  after(async () => {
    await admin.end();
    await server.stop();
  });

  /** How long it takes until the database works on nothing any more, in milliseconds. */
  const idleAfter = async (begin: number): Promise<number> => {
    const others = "select 1 from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()";
    while (((await admin.query(others)).rowCount ?? 0) > 0) {
      await sleep(10);
      assert.ok(performance.now() - begin < 10_000, 'the database goes on');
    }
    return performance.now() - begin;
  };

  it('show each stage: running without results, rows while more come, complete', async () => {
    // The lock holds the command up before it has columns.
    await admin.query('begin; lock table t');
    const id = await queries.execute(source.id, 'select count(*) from t', endless);
    const running = await queries.started(id);
    const open = { startedAt: running.startedAt, completedAt: null, success: null, numResults: null };
    assert.deepEqual(running, { id, createdAt: running.createdAt, ...open });
    assertProblem(await service.call('GET', `/query/${id}/result/0`), 404, 'not_found');
    await admin.query('commit');
    const { detail, completedAt } = await queries.untilRows(id, 1, 5000);
    assert.deepEqual([detail.hasMore, completedAt], [true, null]);
    assert.deepEqual(await queries.rows(id, 1, '?seek=4998&limit=2'), [['4999'], ['5000']]);
    assert.equal((await queries.get(id)).success, null);

    assert.deepEqual(await service.ok('POST', `/query/${id}/cancel`), {});
    assert.ok((await idleAfter(performance.now())) < 1000);
    const query = await queries.get(id);
    assert.deepEqual([query.success, query.numResults], [false, 3]);
    assert.equal(errorOf(await queries.result(id, 2)), 'cancelled');
    const rows = await queries.result(id, 1);
    assert.ok(rows.type === 'query' && !rows.detail.hasMore && rows.detail.error === 'cancelled');
    const { numRows } = rows.detail;
    assert.deepEqual(await queries.rows(id, 1, `?seek=${numRows - 1}`), [[String(numRows)]]);
  });

  it('run in one transaction, which an error rolls back', async () => {
    const { query, results } = await queries.run(source.id, 'insert into t values (1)', 'select 1/0', 'select 2');
    assert.deepEqual([query.success, query.numResults], [false, 2]);
    assert.match(errorOf(results[1]), /division by zero/);
    assert.equal((await admin.query('select 1 from t')).rowCount, 0);
    const fine = await queries.run(source.id, 'insert into t values (1)', 'select count(*) from t');
    assert.deepEqual(await queries.rows(fine.query.id, 1), [['1']]);
    assert.equal((await admin.query('select 1 from t')).rowCount, 1);
  });

  it('that fail among their rows keep those, and say so in the result and after it', async () => {
    const { results } = await queries.run(source.id, 'select 1/(3000 - i) from generate_series(1, 5000) i');
    assert.deepEqual(
      results.map(({ type }) => type),
      ['query', 'error'],
    );
    assert.match(errorOf(results[1]), /division by zero/);
    assert.ok(results[0]?.type === 'query' && results[0].detail.error === errorOf(results[1]));
  });

  it('keep exact values', async () => {
    const sql =
      "select 12345678901234567890.12345678901234567890::numeric, 9223372036854775807::int8, 'infinity'::date";
    const { query } = await queries.run(source.id, sql);
    assert.deepEqual(await queries.rows(query.id, 0), [
      ['12345678901234567890.12345678901234567890', '9223372036854775807', 'infinity'],
    ]);
  });

  it('that run are stopped in the database when they or their data source are deleted', async () => {
    for (const what of ['query', 'data-source'] as const) {
      const own = await makers(service).dataSource({ configUri: server.uri });
      const id = await queries.execute(own.id, 'select pg_sleep(1000)');
      await queries.started(id);
      await sleep(200);
      assert.deepEqual(await service.ok('DELETE', `/${what}/${what === 'query' ? id : own.id}`), {});
      assert.ok((await idleAfter(performance.now())) < 1000);
      assertProblem(await service.call('GET', `/query/${id}`), 404, 'not_found');
    }
  });

  it('never show the password', async () => {
    const wrong = server.uri.replace(server.password, 'hunter2-Zz9');
    const own = await makers(service).dataSource({ configUri: wrong });
    const { query, results } = await queries.run(own.id, 'select 1');
    assert.equal(query.success, false);
    assert.match(errorOf(results[0]), /authentication/);
    assert.ok(!JSON.stringify(results).includes('hunter2'));
  });
});
