/** Over the PostgreSQL store only: the embedded one is served by one process. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Person } from '@rolecall/api';
import { createKey, revokeKey, StoreKeyError, startService } from '@rolecall/server';
import { requires } from '../support/databases/parts.ts';
import { startChildService } from './support/child.ts';
import { makers } from './support/make.ts';
import { assertProblem } from './support/match.ts';
import { emptySqlite, errorOf, queryHelpers } from './support/queries.ts';
import { basic, startTestService, type TestService } from './support/service.ts';
import { askStore, newDatabase, newPostgresStore, temporaryFolder } from './support/stores.ts';

const endless = 'with recursive c(i) as (select 1 union all select i + 1 from c) select i from c';
/** Goes on when it is cancelled, until it is cancelled again. */
const stubborn =
  'do $$ begin perform pg_sleep(1000); exception when query_canceled then perform pg_sleep(1000); end $$';

/** Two replicas over one store, with data sources of their own making. */
async function twoReplicas(options: Parameters<typeof startTestService>[0] = {}): Promise<[TestService, TestService]> {
  const store = { ...(await newPostgresStore()), ...options };
  return [await startTestService(store), await startTestService(store)];
}

const either = ([one, other]: [TestService, TestService], index: number) => (index % 2 === 0 ? one : other);

describe('replicas over one store', requires('postgresql'), () => {
  it('see at once what another one was answered', async () => {
    const [one, other] = await twoReplicas();
    for (let count = 0; count < 20; count += 1) {
      const [writer, reader] = count % 2 === 0 ? [one, other] : [other, one];
      const person = await makers(writer).person();
      assert.deepEqual(await reader.ok('GET', `/person/${person.id}`), person);
      const list = await reader.ok<Person[]>('GET', '/person');
      assert.deepEqual(list.at(-1), person);
      await writer.ok('PUT', `/person/${person.id}/lock`);
      await reader.ok('DELETE', `/person/${person.id}`);
      assertProblem(await writer.call('GET', `/person/${person.id}`), 404, 'not_found');
      assert.ok(!JSON.stringify(await writer.ok('GET', '/person')).includes(person.id));
    }
  });

  it('let exactly one of many have a username that all want', async () => {
    const replicas = await twoReplicas();
    for (let round = 0; round < 10; round += 1) {
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, index) =>
          either(replicas, index).call('POST', '/person', {
            form: { name: 'x', username: `same${round}`, email: `${round}-${index}@example.com` },
          }),
        ),
      );
      const statuses = answers.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, 409, 409, 409, 409, 409, 409, 409]);
    }
  });

  it('give right answers to what is done to the same objects at the same time', async () => {
    const replicas = await twoReplicas();
    for (let round = 0; round < 15; round += 1) {
      const make = makers(replicas[0]);
      const [person, role, source] = [await make.person(), await make.role(), await make.dataSource()];
      await replicas[0].ok('PUT', `/person/${person.id}/lock`);
      const calls: [string, string, Record<string, string>?][] = [
        ['DELETE', `/person/${person.id}`],
        ['DELETE', `/person/${person.id}`],
        ['PUT', `/role/${role.id}/person/${person.id}`],
        ['PUT', `/role/${role.id}/data-source/${source.id}`],
        ['DELETE', `/role/${role.id}`],
        ['DELETE', `/role/${role.id}`],
        ['POST', `/data-source/${source.id}/permission/person/${person.id}`, { duration: '60' }],
        ['DELETE', `/data-source/${source.id}`],
        ['POST', `/data-source/${source.id}`, { name: 'Renamed' }],
        ['PUT', `/person/${person.id}/unlock`],
      ];
      const answers = await Promise.all(
        calls.map(([method, where, form], index) =>
          either(replicas, index + round).call(method, where, form === undefined ? {} : { form }),
        ),
      );
      const statuses = answers.map(({ status }) => status);
      assert.ok(
        statuses.every((status) => [200, 404, 409].includes(status)),
        JSON.stringify(answers.map(({ text }) => text)),
      );
      const count = (first: number, second: number) =>
        [statuses[first], statuses[second]].filter((s) => s === 200).length;
      assert.equal(count(4, 5), 1, 'one deletes the role');
      // Unlocked before: then no one may.
      assert.ok(count(0, 1) <= 1, 'at most one deletes the person');
      const gone = (await replicas[1].call('GET', `/person/${person.id}`)).status === 404;
      assert.equal(gone, count(0, 1) === 1);
      for (const [table, column, id] of [
        ['role_person', 'role_id', role.id],
        ['role_data_source', 'role_id', role.id],
        ['permission', 'data_source_id', source.id],
      ] as const) {
        const left = await askStore(replicas[0].store, `select 1 from ${table} where ${column} = $1`, [id]);
        assert.deepEqual(left, [], `${table} refers to what is gone`);
      }
    }
  });

  it('refuse a key from the moment at which another process has revoked it', async () => {
    const [one, other] = await twoReplicas();
    const key = await createKey({ ...one.store, scope: 'read' });
    for (const replica of [one, other]) assert.equal((await replica.call('GET', '/person', { key })).status, 200);
    await revokeKey({ ...one.store, id: key.id });
    for (const replica of [one, other]) {
      assertProblem(await replica.call('GET', '/person', { key }), 401, 'unauthenticated');
    }
  });

  it('may start at the same time on an empty database', async (test) => {
    const store = await newPostgresStore();
    const services = await Promise.all(Array.from({ length: 5 }, () => startService(store)));
    test.after(() => Promise.all(services.map((service) => service.close())));
    const key = await createKey({ ...store, scope: 'admin' });
    for (const { url } of services) {
      const headers = { authorization: basic(key) };
      assert.equal((await fetch(`${url}/api/v2/person`, { headers })).status, 200);
    }
  });

  it('keep no password and no secret of a key in any table of their database', async () => {
    // The trail otherwise has the texts of statements, whatever stands in them.
    const [one, other] = await twoReplicas({ auditStatements: 'digest' });
    const password = 'Planted:/secret?1';
    const configUri = `postgresql://u:${encodeURIComponent(password)}@127.0.0.1:1/x`;
    const form = { name: 'x', configUri };
    const headers = { 'idempotency-key': 'once' };
    const { id } = await one.ok('POST', '/data-source', { form, headers });
    await other.ok('POST', `/data-source/${String(id)}`, { form: { name: 'y', configUri: `${configUri}y` } });
    await other.ok('GET', `/data-source/${String(id)}/detail`);
    await queryHelpers(one).run(String(id), `select '${password}'`);
    const rows = await askStore(
      one.store,
      `select tablename as name, query_to_xml(format('select * from %I', tablename), true, false, '')::text as content
      from pg_tables where schemaname = 'public'`,
    );
    const all = JSON.stringify(rows);
    for (const table of ['data_source', 'idempotency_key', 'audit_entry', 'query']) {
      assert.match(String(rows.find(({ name }) => name === table)?.['content']), /<row/, table);
    }
    for (const secret of [
      password,
      encodeURIComponent(password),
      ...Object.values(one.keys).map((key) => key.secret),
    ]) {
      const bytes = Buffer.from(secret);
      for (const form of [secret, bytes.toString('hex'), bytes.toString('base64').slice(0, -4)]) {
        assert.ok(!all.includes(form), form);
      }
    }
  });

  it('need the key that the store was made with', async () => {
    const databaseUrl = await newDatabase();
    await assert.rejects(startService({ databaseUrl, environment: {} }), (error) => {
      assert.ok(error instanceof StoreKeyError);
      assert.match(error.message, /set ROLECALL_STORE_KEY/);
      return true;
    });
    const keyOf = (fill: number) => ({ ROLECALL_STORE_KEY: Buffer.alloc(32, fill).toString('base64') });
    await (await startService({ databaseUrl, environment: keyOf(1) })).close();
    await assert.rejects(
      startService({ databaseUrl, environment: keyOf(2) }),
      /not the one that the store was made with/,
    );
  });
});

describe('a query that another replica runs', requires('postgresql'), () => {
  it('can be read while its rows come, and cancelled within a second', async () => {
    const [one, other] = await twoReplicas();
    const source = await makers(one).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const id = await queryHelpers(one).execute(source.id, endless);
    const asked = queryHelpers(other);
    const result = await asked.untilRows(id, 0, 20_000);
    assert.equal(result.detail.hasMore, true);
    const { numRows } = result.detail;
    assert.deepEqual(await asked.rows(id, 0, `?seek=${numRows - 1}&limit=1`), [[String(numRows)]]);
    assert.equal((await asked.rows(id, 0, `?seek=${numRows - 10_000}&limit=10000`)).length, 10_000);
    await other.ok('POST', `/query/${id}/cancel`);
    for (const replica of [one, other]) {
      const query = await queryHelpers(replica).get(id);
      assert.deepEqual([query.success, query.numResults], [false, 2]);
      assert.equal(errorOf(await queryHelpers(replica).result(id, 1)), 'cancelled');
    }
    const ended = await asked.result(id, 0);
    assert.ok(ended.type === 'query' && !ended.detail.hasMore && ended.detail.numRows >= numRows);
    const last = ended.detail.numRows;
    assert.deepEqual(await asked.rows(id, 0, `?seek=${last - 1}`), [[String(last)]]);
  });

  for (const what of ['the query', 'its data source'] as const) {
    it(`has stopped in the database when the answer comes that ${what} is deleted`, async () => {
      const target = await newDatabase();
      const [one, other] = await twoReplicas();
      const source = await makers(one).dataSource({ configUri: target });
      const id = await queryHelpers(one).execute(source.id, stubborn);
      await queryHelpers(other).started(id);
      await untilSleeping(target, 1);
      await other.ok('DELETE', what === 'the query' ? `/query/${id}` : `/data-source/${source.id}`);
      await untilSleeping(target, 0, 0);
      assertProblem(await other.call('GET', `/query/${id}`), 404, 'not_found');
      while ((await one.call('GET', `/query/${id}`)).status !== 404) await sleep(20);
    });
  }

  it('is completed as failed when that one was killed and its lease has run out, and its rows stay', async () => {
    const store = await newPostgresStore();
    const options = { ...store, queryLeaseSeconds: 2 };
    const service = await startTestService(options);
    const child = await startChildService(options);
    const asked = queryHelpers(service);
    const source = await makers(service).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const id = await executeAt(child.url, service, source.id, endless);
    const { detail } = await asked.untilRows(id, 0, 5000);
    await child.end('SIGKILL');
    const query = await asked.completed(id);
    assert.deepEqual([query.success, query.numResults], [false, 2]);
    assert.match(errorOf(await asked.result(id, 1)), /the service stopped/);
    const rows = await asked.result(id, 0);
    assert.ok(rows.type === 'query' && !rows.detail.hasMore && rows.detail.numRows >= detail.numRows);
    const { numRows } = rows.detail;
    assert.deepEqual(await asked.rows(id, 0, `?seek=${numRows - 1}`), [[String(numRows)]]);
  });

  it('stays failed when that one only stood still, which writes nothing more and commits nothing', async () => {
    const target = await newDatabase();
    await askStore({ databaseUrl: target }, 'create table t (i int)');
    const store = await newPostgresStore();
    const options = { ...store, queryLeaseSeconds: 2 };
    const service = await startTestService(options);
    const child = await startChildService(options);
    const asked = queryHelpers(service);
    const source = await makers(service).dataSource({ configUri: target });
    const id = await executeAt(child.url, service, source.id, 'insert into t values (1)', 'select pg_sleep(5), 7');
    await untilSleeping(target, 1);
    await asked.until(id, ({ numResults }) => numResults !== null);
    child.process.kill('SIGSTOP');
    const failed = await asked.completed(id);
    assert.equal(failed.success, false);
    const results = await Promise.all([0, 1].map((index) => asked.result(id, index)));
    // The database has answered by now, and is waiting for the commit.
    await untilSleeping(target, 0, 10_000);
    child.process.kill('SIGCONT');
    await sleep(1500);
    assert.deepEqual(await asked.get(id), failed);
    assert.deepEqual(await Promise.all([0, 1].map((index) => asked.result(id, index))), results);
    assert.deepEqual(await askStore({ databaseUrl: target }, 'select * from t'), []);
    assert.equal((await fetch(`${child.url}/readyz`)).status, 200);
  });
});

/** Has a replica in a process of its own run commands. */
async function executeAt(url: string, service: TestService, source: string, ...commands: string[]): Promise<string> {
  const headers = { authorization: basic(service.keys.admin), 'content-type': 'application/json' };
  const body = JSON.stringify({ commands });
  const answer = await fetch(`${url}/api/v2/data-source/${source}/execute`, { method: 'POST', headers, body });
  const { queryId } = (await answer.json()) as { queryId: string };
  return queryId;
}

/** Waits until so many sessions of a database sleep. */
async function untilSleeping(databaseUrl: string, count: number, withinMs = 30_000): Promise<void> {
  const begin = performance.now();
  const text = "select 1 from pg_stat_activity where datname = current_database() and wait_event = 'PgSleep'";
  while ((await askStore({ databaseUrl }, text)).length !== count) {
    assert.ok(performance.now() - begin < withinMs, `not ${count} within ${withinMs} ms`);
    await sleep(10);
  }
}
