import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { QueryResult } from '@rolecall/api';
import { listAudit } from '@rolecall/server';
import { childrenOf } from '../databases/processes.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { emptySqlite, errorOf } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { type InEditor, inEditor, until } from './in-editor.ts';

const service = await startTestService();
const make = makers(service);
const configUri = await emptySqlite(await temporaryFolder());
// Queries on SQLite run in processes of their own; over PostgreSQL, the store is one of this process too.
const others = new Set(childrenOf(process.pid));
const running = () => childrenOf(process.pid).filter((pid) => !others.has(pid)).length;
const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

/** Begins a query that does not end by itself. @returns its id, once the database works on it */
async function begin({ execute }: InEditor): Promise<string> {
  const id = await execute(endless);
  await until(() => running() > 0);
  return id;
}

const reasonOf = async (query: string) => errorOf(await service.ok<QueryResult>('GET', `/query/${query}/result/0`));

describe('when the access of a person ends', () => {
  it('the query is cancelled in the database, never early, and says why, as the trail does', async () => {
    const ada = await inEditor(service, configUri);
    const { expiresAt, id: permission } = await make.permission(ada.source.id, ada.person.id, { duration: '2' });
    const query = await begin(ada);
    const { at, success } = await ada.completed(query);
    assert.equal(success, false);
    const late = at - Date.parse(expiresAt);
    assert.ok(late >= 0 && late < 1000, `${late} ms after the end`);
    assert.equal(running(), 0);
    const reason = `your access to ${ada.source.alias} ended at ${expiresAt.slice(0, 19)}Z with the permission ${permission}`;
    assert.equal(await reasonOf(query), reason);
    const entry = (await listAudit({ ...service.store, query: { limit: 1000 } })).findLast(
      ({ operation }) => operation === 'access-end',
    );
    assert.deepEqual(entry?.changes, [
      {
        kind: 'query',
        id: query,
        action: 'access ended',
        after: { person: ada.person.id, dataSource: ada.source.id, reason },
      },
    ]);
    for (const path of ['result/0', 'result/0/rows', 'result/0/export?format=csv', 'command']) {
      assertProblem(await ada.session.call('GET', `/query/${query}/${path}`), 403, 'access_ended');
    }
    const again = await ada.session.call('POST', `/editor/${ada.editor}/query`, { json: { commands: ['select 1'] } });
    assertProblem(again, 403, 'access_ended');
    // Their own queries stay in their list.
    assert.equal((await ada.session.ok('getMyQuery', 'GET', `/query/${query}`)).success, false);
  });

  it('the query goes on where another grant covers it, also one that comes while it runs', async () => {
    const ada = await inEditor(service, configUri);
    await make.permission(ada.source.id, ada.person.id, { duration: '1' });
    const query = await begin(ada);
    const later = await make.permission(ada.source.id, ada.person.id, { duration: '2' });
    const { at } = await ada.completed(query);
    assert.ok(at >= Date.parse(later.expiresAt), 'cancelled while a permission covered it');
    assert.match(await reasonOf(query), new RegExp(`with the permission ${later.id}$`));
  });

  for (const what of ['lock', 'data source'] as const) {
    it(`the query is cancelled at once: ${what}`, async () => {
      const ada = await inEditor(service, configUri);
      await make.permission(ada.source.id, ada.person.id);
      const query = await begin(ada);
      const begun = Date.now();
      if (what === 'lock') await service.ok('PUT', `/person/${ada.person.id}/lock`);
      else await service.ok('DELETE', `/data-source/${ada.source.id}`);
      const gone = await until(() => running() === 0);
      assert.ok(gone - begun < 1000, `${gone - begun} ms after the change`);
      if (what === 'lock') {
        await ada.completed(query);
        assert.equal(await reasonOf(query), 'your account is locked');
      }
    });
  }

  it('a download breaks off, so that no half of a file looks whole; so does a large page of rows', async () => {
    const ada = await inEditor(service, configUri);
    await make.permission(ada.source.id, ada.person.id, { duration: '3' });
    const large =
      'with recursive c(x) as (select 1 union all select x + 1 from c where x < 500) select hex(zeroblob(50000)) from c';
    const query = await ada.execute(large);
    await ada.completed(query);
    const cookie = `rolecall=${ada.session.token}`;
    const read = async (path: string): Promise<number> => {
      const { body, status } = await fetch(`${service.url}/person/v1/query/${query}/result/0/${path}`, {
        headers: { cookie },
      });
      assert.equal(status, 200);
      let bytes = 0;
      // Slower than the access lasts.
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes < 1_000_000) await sleep(200);
      }
      return bytes;
    };
    const paths = ['export?format=csv', 'export?format=json', 'rows?limit=500'];
    const ends = await Promise.allSettled(paths.map(read));
    assert.deepEqual(
      ends.map(({ status }) => status),
      ['rejected', 'rejected', 'rejected'],
    );
  });
});
