/** Over the embedded store only: its disk is what is full. */
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmdirSync, rmSync, statfsSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, describe, it } from 'node:test';
import type { Person } from '@rolecall/api';
import { requires } from '../support/databases/parts.ts';
import { makers } from './support/make.ts';
import { assertProblem } from './support/match.ts';
import { metricsOf, valueOf } from './support/metrics.ts';
import { emptySqlite, errorOf, queryHelpers } from './support/queries.ts';
import { type Answer, startTestService, temporaryFolder } from './support/service.ts';

describe('a service whose disk is full', requires('tmpfs'), async () => {
  const disk = mkdtempSync(path.join(tmpdir(), 'rolecall-full-'));
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=48m', 'tmpfs', disk]);
  const dataDir = path.join(disk, 'data');
  mkdirSync(dataDir);
  const filler = path.join(disk, 'filler');
  const service = await startTestService({ dataDir, metricsListener: { host: '127.0.0.1', port: 0 } });
  // Hooks run in the order in which they were given: the service is closed by now.
  after(() => {
    execFileSync('umount', ['-l', disk]);
    rmdirSync(disk);
  });
  const make = makers(service);
  const queries = queryHelpers(service);

  /** Takes what is left, to the last byte. */
  function fill(): void {
    const file = openSync(filler, 'a');
    try {
      for (const size of [1 << 20, 4096, 1]) {
        try {
          for (;;) writeSync(file, Buffer.alloc(size));
        } catch (error) {
          assert.ok(error instanceof Error && 'code' in error && error.code === 'ENOSPC', String(error));
        }
      }
    } finally {
      closeSync(file);
    }
  }

  let count = 0;
  const create = (): Promise<Answer> => {
    count += 1;
    const username = `full${count}`;
    // Long enough that no room is left over in what the store has already.
    const form = { name: 'x'.repeat(100), username, email: `${username}@example.com` };
    return service.call('POST', '/person', { form });
  };

  it('says so with 507 and stores nothing of what it refused, reads on, and goes on by itself when there is room', async () => {
    const { id } = await service.ok<{ id: string }>('POST', '/data-source', {
      json: { name: 'd', configUri: 'postgresql://user:planted@localhost/d' },
    });
    const acknowledged: string[] = [];
    const refused: string[] = [];
    for (let round = 0; round < 3; round += 1) {
      fill();
      let lately = 0;
      for (let tries = 0; lately < 20; tries += 1) {
        assert.ok(tries < 50_000, 'the disk was never full');
        const answers = await Promise.all([create(), create(), create(), create()]);
        for (const answer of answers) {
          if (answer.status === 200) acknowledged.push((answer.body as Person).username);
          else {
            assertProblem(answer, 507, 'storage_full');
            refused.push(answer.text);
            lately += 1;
          }
        }
      }
      assert.equal((await service.call('GET', '/person')).status, 200);
      const detail = await service.call('GET', `/data-source/${id}/detail`);
      assertProblem(detail, 503, 'unavailable');
      assert.ok(!detail.text.includes('planted'), 'no password is answered that is not recorded');
      assert.equal((await fetch(`${service.url}/readyz`)).status, 200);
      assert.ok((valueOf(await metricsOf(service), 'rolecall_store_write_failures_total{reason="full"}') ?? 0) > 0);
      rmSync(filler);
      const answer = await create();
      assert.equal(answer.status, 200, answer.text);
      acknowledged.push((answer.body as Person).username);
    }
    assert.ok(refused.length >= 60);
    const people = await service.ok<Person[]>('GET', '/person');
    assert.deepEqual(people.map(({ username }) => username).sort(), acknowledged.sort());
  });

  it('fails a query whose rows have no room, and can still be written to', async () => {
    const target = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const huge =
      "with recursive n(i) as (select 1 union all select i + 1 from n where i < 200000) select i, printf('%.1000c', 'x') from n";
    const { query, results } = await queries.run(target.id, huge);
    assert.equal(query.success, false);
    assert.match(errorOf(results.at(-1)), /the disk of the service is full/);
    const { bavail, bsize } = statfsSync(disk);
    assert.ok(bavail * bsize > 1 << 20, 'the rows took the last of the disk');
    assert.equal((await create()).status, 200);
    // What was spooled before is readable, and its room is back when the query is deleted.
    const rows = await queries.rows(query.id, 0, '?limit=2');
    assert.equal(rows.length, 2);
    await service.ok('DELETE', `/query/${query.id}`);
    const small = await queries.run(target.id, "select printf('%.100000c', 'x')");
    assert.equal(small.query.success, true);
  });

  it('fails a query whose many small results have no room together', async () => {
    const target = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    const commands = Array.from({ length: 100 }, () => "select printf('%.900000c', 'x')");
    const { query, results } = await queries.run(target.id, ...commands);
    assert.equal(query.success, false);
    assert.match(errorOf(results.at(-1)), /the disk of the service is full/);
    const { bavail, bsize } = statfsSync(disk);
    assert.ok(bavail * bsize > 1 << 20, 'the rows took the last of the disk');
    await service.ok('DELETE', `/query/${query.id}`);
  });

  it('has a store that is whole', async () => {
    await service.close();
    const database = new DatabaseSync(path.join(dataDir, 'rolecall.db'));
    assert.deepEqual({ ...database.prepare('PRAGMA integrity_check').get() }, { integrity_check: 'ok' });
    database.close();
    const again = await startTestService({ dataDir });
    assert.equal((await again.call('GET', '/person')).status, 200);
    await again.close();
  });
});
