/** Over the embedded store only: with PostgreSQL, the same pages are read by another process. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { makers } from './support/make.ts';
import { basic, startTestService } from './support/service.ts';
import { askStore } from './support/stores.ts';

const count = 100_000;

/** The CPU time that one turn of the event loop may take, in milliseconds; on a slow machine, the part of the CPU time of all turns. */
const [mostOfTurn, mostOfAll] = [50, 1 / 20];

interface Fetched {
  status: number;
  bytes: number;
  etag: string | null;
}

/** Fetches in a thread of its own, so that what the client does is not measured. */
async function fetchElsewhere(url: string, method: string, headers: Record<string, string>): Promise<Fetched> {
  const source = `
    const { parentPort, workerData: { url, method, headers } } = require('node:worker_threads');
    fetch(url, { method, headers }).then(async (answer) => {
      let bytes = 0;
      if (answer.body !== null) for await (const part of answer.body) bytes += part.length;
      parentPort.postMessage({ status: answer.status, bytes, etag: answer.headers.get('etag') });
    });
  `;
  const worker = new Worker(source, { eval: true, workerData: { url, method, headers } });
  const [fetched] = (await once(worker, 'message')) as [Fetched];
  return fetched;
}

/**
 * The most CPU time that one turn of this thread's event loop took while the work was done, in milliseconds, and whether that holds
 * others up.
 */
async function longestTurn<T>(work: Promise<T>): Promise<{ result: T; ms: number; isLong: boolean }> {
  let longest = 0;
  let running = true;
  const began = process.threadCpuUsage();
  let before = began;
  const look = (): void => {
    const { user, system } = process.threadCpuUsage(before);
    longest = Math.max(longest, (user + system) / 1000);
    before = process.threadCpuUsage();
    if (running) setImmediate(look);
  };
  setImmediate(look);
  const result = await work;
  running = false;
  const { user, system } = process.threadCpuUsage(began);
  return { result, ms: longest, isLong: longest >= Math.max(mostOfTurn, ((user + system) / 1000) * mostOfAll) };
}

const numbers = `with recursive number(n) as (select 1 union all select n + 1 from number where n < ${count})`;
const at = '2026-01-01T00:00:00.000Z';

describe('deleting what 100,000 permissions belong to', async () => {
  const service = await startTestService({ checkAnswers: false });
  const make = makers(service);
  const headers = { authorization: basic(service.keys.admin) };
  await askStore(
    service.store,
    `${numbers} insert into person (id, name, username, username_key, email, email_key, created_at)
     select 'p' || n, 'a', 'p' || n, 'p' || n, 'p' || n, 'p' || n, '${at}' from number`,
  );
  const permissions = (person: string, source: string) =>
    askStore(
      service.store,
      `${numbers} insert into permission (person_id, data_source_id, starts_at, expires_at, created_at)
       select ${person}, '${source}', '${at}', '2027-01-01T00:00:00.000Z', '${at}' from number`,
    );

  // The log grows with each, so that one of them is where it is copied into the store.
  for (const turn of ['first', 'second', 'third']) {
    it(`holds no request up for more than ${mostOfTurn} ms, or a twentieth of the work: the ${turn} data source, and person`, async () => {
      // On a busy machine one run may take longer. Two such runs are the deletion.
      const first = await deleteBoth();
      const long = first.length === 0 ? [] : await deleteBoth();
      assert.deepEqual(long, [], `turns took ${[...first, ...long].join(' and ')} ms`);
    });
  }

  /** @returns the turns that took too long, in milliseconds */
  async function deleteBoth(): Promise<number[]> {
    const [person, source, other] = [await make.person(), await make.dataSource(), await make.dataSource()];
    await permissions(`'p' || n`, source.id);
    await permissions(`'${person.id}'`, other.id);
    await service.ok('PUT', `/person/${person.id}/lock`);
    const long: number[] = [];
    for (const path of [`/data-source/${source.id}`, `/person/${person.id}`]) {
      const url = `${service.url}/api/v2${path}`;
      const { result, ms, isLong } = await longestTurn(fetchElsewhere(url, 'DELETE', headers));
      assert.equal(result.status, 200);
      if (isLong) long.push(ms);
    }
    return long;
  }
});

describe('a list of 100,000 rows', async () => {
  const service = await startTestService({ checkAnswers: false });
  const make = makers(service);
  const source = await make.dataSource();
  const role = await make.role();
  const owner = await make.person();
  await askStore(
    service.store,
    `${numbers} insert into person (id, name, username, username_key, email, email_key, created_at)
     select printf('p%011d', n), 'Person ' || n, 'person-' || n, 'person-' || n, n || '@example.com', n || '@example.com', '${at}' from number`,
  );
  await askStore(
    service.store,
    `${numbers} insert into permission (person_id, data_source_id, starts_at, expires_at, created_at)
     select iif(n % 2 = 0, printf('p%011d', n), '${owner.id}'), '${source.id}', '${at}', '2027-01-01T00:00:00.000Z', '${at}' from number`,
  );
  await askStore(
    service.store,
    `${numbers} insert into role_person (role_id, person_id, assigned_at) select '${role.id}', printf('p%011d', n), '${at}' from number`,
  );
  await askStore(
    service.store,
    `${numbers} insert into manager (kind, id, manager, at) select 'person', printf('p%011d', n), 'cluster', '${at}' from number`,
  );
  const headers = { authorization: basic(service.keys.admin) };
  const paths = [
    '/permission',
    '/person',
    `/role/${role.id}/person`,
    `/person/${owner.id}/permission`,
    `/data-source/${source.id}/permission`,
    '/manager',
  ];

  for (const path of paths) {
    it(`holds no request up for more than ${mostOfTurn} ms, or a twentieth of the work: GET ${path.replaceAll(/\/[A-Za-z0-9]{12}\b/g, '/:id')}`, async () => {
      const url = `${service.url}/api/v2${path}`;
      // What is compiled at its first use is not measured.
      await fetchElsewhere(url, 'GET', headers);
      // No list that is kept is good any longer.
      await make.permission(source.id, (await make.person()).id);
      const { result, ms, isLong } = await longestTurn(fetchElsewhere(url, 'GET', headers));
      assert.equal(result.status, 200);
      assert.ok(result.bytes > 5_000_000, `${result.bytes} bytes`);
      assert.ok(!isLong, `one turn took ${ms} ms`);
    });
  }

  it('has an entity tag where it is a whole collection, and HEAD and If-None-Match read none of it', async () => {
    const url = `${service.url}/api/v2/permission`;
    const { etag } = await fetchElsewhere(url, 'HEAD', headers);
    assert.match(etag ?? '', /^W\/"/);
    const same = await fetchElsewhere(url, 'GET', { ...headers, 'if-none-match': etag ?? '' });
    assert.deepEqual([same.status, same.bytes], [304, 0]);
    await make.permission(source.id, owner.id);
    assert.equal((await fetchElsewhere(url, 'GET', { ...headers, 'if-none-match': etag ?? '' })).status, 200);
  });
});
