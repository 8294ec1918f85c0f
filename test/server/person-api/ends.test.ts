import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Permission, QueryResult } from '@rolecall/api';
import { listAudit } from '@rolecall/server';
import { sqliteProcesses } from '../databases/processes.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { emptySqlite, errorOf } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { type InEditor, inEditor, until } from './in-editor.ts';

const service = await startTestService();
const make = makers(service);
const configUri = await emptySqlite(await temporaryFolder());
// A process of its own: queries on SQLite run in processes too, and the tests count those.
const running = () => sqliteProcesses().length;
const endless = 'with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c';

/** A query of a person that does not end by itself, and what lets them run it: to get there takes as long as it takes. */
interface Begun {
  readonly query: string;
  /** Takes away what let them in. */
  readonly shut: () => Promise<unknown>;
}

/** @returns once the database works on the query */
async function begin({ person, source, execute }: InEditor): Promise<Begun> {
  const { id } = await make.permission(source.id, person.id);
  const query = await execute(endless);
  await until(() => running() > 0);
  return { query, shut: () => service.ok('DELETE', `/permission/${id}`) };
}

const reasonOf = async (query: string) => errorOf(await service.ok<QueryResult>('GET', `/query/${query}/result/0`));

describe('when the access of a person ends', () => {
  it('the query is cancelled in the database, never early, and says why, as the trail does', async () => {
    const ada = await inEditor(service, configUri);
    const { query, shut } = await begin(ada);
    const { expiresAt, id: permission } = await make.permission(ada.source.id, ada.person.id, { duration: '2' });
    await shut();
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
    const { query, shut } = await begin(ada);
    await make.permission(ada.source.id, ada.person.id, { duration: '2' });
    await shut();
    const later = await make.permission(ada.source.id, ada.person.id, { duration: '3' });
    const { at } = await ada.completed(query);
    assert.ok(at >= Date.parse(later.expiresAt), 'cancelled while a permission covered it');
    assert.match(await reasonOf(query), new RegExp(`with the permission ${later.id}$`));
  });

  it('a later end cuts nobody, and an earlier one cuts at its moment', async () => {
    const ada = await inEditor(service, configUri);
    const { query, shut } = await begin(ada);
    const { id, startsAt, expiresAt } = await make.permission(ada.source.id, ada.person.id, { duration: '2' });
    await shut();
    const move = (duration: number) => service.ok<Permission>('PATCH', `/permission/${id}`, { json: { duration } });
    await move(3600);
    await until(() => Date.now() > Date.parse(expiresAt) + 500);
    assert.equal(running(), 1, 'cut at the end that was moved');
    const seconds = Math.ceil((Date.now() - Date.parse(startsAt)) / 1000) + 1;
    const moved = await move(seconds);
    const { at } = await ada.completed(query);
    assert.ok(at >= Date.parse(moved.expiresAt), 'cut before the new end');
    assert.match(await reasonOf(query), new RegExp(`with the permission ${id}$`));
  });

  it('a person who is renamed meanwhile works on, and stays signed in', async () => {
    const ada = await inEditor(service, configUri);
    const { query, shut } = await begin(ada);
    await service.ok('PATCH', `/person/${ada.person.id}`, { json: { username: `${ada.person.username}-king` } });
    const me = await ada.session.ok('getMe', 'GET', '/me');
    assert.equal(me.person.username, `${ada.person.username}-king`);
    assert.equal(running(), 1);
    await shut();
    await ada.completed(query);
  });

  for (const what of ['lock', 'data source'] as const) {
    it(`the query is cancelled at once: ${what}`, async () => {
      const ada = await inEditor(service, configUri);
      const { query } = await begin(ada);
      if (what === 'lock') await service.ok('PUT', `/person/${ada.person.id}/lock`);
      else await service.ok('DELETE', `/data-source/${ada.source.id}`);
      const changed = Date.now();
      const gone = await until(() => running() === 0);
      assert.ok(gone - changed < 1000, `${gone - changed} ms after the change`);
      if (what === 'lock') {
        await ada.completed(query);
        assert.equal(await reasonOf(query), 'your account is locked');
      }
    });
  }

  it('a download breaks off, so that no half of a file looks whole; so does a large page of rows', async () => {
    const ada = await inEditor(service, configUri);
    const { id } = await make.permission(ada.source.id, ada.person.id);
    const large =
      'with recursive c(x) as (select 1 union all select x + 1 from c where x < 500) select hex(zeroblob(50000)) from c';
    const query = await ada.execute(large);
    await ada.completed(query);
    const cookie = `rolecall=${ada.session.token}`;
    // The whole response: without it, its body would be collected before anything reads it.
    const ask = (path: string): Promise<Response> =>
      fetch(`${service.url}/person/v1/query/${query}/result/0/${path}`, { headers: { cookie } });
    const read = async ({ status, body }: Response): Promise<number> => {
      assert.equal(status, 200);
      let bytes = 0;
      // Slower than the gate sees that access has ended.
      for await (const chunk of body as AsyncIterable<Uint8Array>) {
        bytes += chunk.length;
        if (bytes < 1_000_000) await sleep(200);
      }
      return bytes;
    };
    const paths = ['export?format=csv', 'export?format=json', 'rows?limit=500'];
    const responses = await Promise.all(paths.map(ask));
    await service.ok('DELETE', `/permission/${id}`);
    const ends = await Promise.allSettled(responses.map(read));
    for (const end of ends)
      assert.ok(end.status === 'rejected' && end.reason instanceof TypeError, JSON.stringify(end));
  });
});
