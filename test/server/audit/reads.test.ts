import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listAudit, verifyAudit } from '@rolecall/server';
import { digestText } from '../../../server/audit/show.ts';
import { withData } from '../../../server/data/open-data.ts';
import { inEditor } from '../person-api/in-editor.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { askStore, storeKind } from '../support/stores.ts';

interface Entry {
  seq: number;
  actor: { type: string; id: string };
  operation: string;
  changes: { kind: string; id: string; action: string; after?: Record<string, unknown> }[];
  hash: string;
}

const service = await startTestService();
const make = makers(service);
const queries = queryHelpers(service);
const source = await make.dataSource({ configUri: await emptySqlite(await temporaryFolder()) });

const read = (search = '', from: TestService = service) => from.ok<Entry[]>('GET', `/audit${search}`);
const trail = (limit = 1000) => listAudit({ ...service.store, query: { limit } });
const lastOf = async (operation: string) => (await trail()).filter((one) => one.operation === operation).at(-1);

describe('the trail', () => {
  it('has every reading of rows, with what was read and where from', async () => {
    const { query } = await queries.run(source.id, 'select 1 union select 2 union select 3');
    assert.equal((await queries.rows(query.id, 0, '?seek=1&limit=10')).length, 2);
    const entry = await lastOf('listQueryRows');
    assert.equal(entry?.actor.id, service.keys.admin.id);
    const after = { dataSource: source.id, result: 0, seek: 1, rows: 2 };
    assert.deepEqual(entry.changes, [{ kind: 'query', id: query.id, action: 'rows read', after }]);
    const before = (await trail()).length;
    assert.deepEqual(await queries.rows(query.id, 0, '?seek=3'), []);
    assert.equal((await trail()).length, before, 'where there are no rows, none are read');
  });

  it('has every test of a connection, and what came of it', async () => {
    const nowhere = await make.dataSource({ configUri: 'postgresql://u:p4ss-of-test@127.0.0.1:1/x' });
    for (const [id, success] of [
      [source.id, true],
      [nowhere.id, false],
    ] as const) {
      await service.ok('POST', `/data-source/${id}/test`);
      const entry = await lastOf('testDataSource');
      assert.deepEqual(entry?.changes[0]?.after, { success });
      assert.deepEqual([entry.changes[0].id, entry.changes[0].action], [id, 'connection tested']);
      assert.ok(!JSON.stringify(entry).includes('p4ss-of-test'));
    }
  });

  it('has the texts of statements, 16,384 characters of a query at most, never half a character', async () => {
    const long = `select '${'x'.repeat(16_360)}${'😀'.repeat(20)}'`;
    await queries.run(source.id, 'select 7', long, 'select 8');
    const commands = (await lastOf('executeCommands'))?.changes[0]?.after?.['commands'] as {
      characters: number;
      digest: string;
      text?: string;
    }[];
    assert.deepEqual(
      commands.map(({ characters }) => characters),
      [8, long.length, 8],
    );
    assert.equal(commands[0]?.text, 'select 7');
    const shown = String(commands[1]?.text);
    assert.ok(long.startsWith(shown) && shown.isWellFormed());
    assert.ok(shown.length >= 16_384 - 8 - 1 && shown.length <= 16_384 - 8);
    assert.ok(commands.every(({ digest }) => digest.length === 43));
  });

  it('has only digests of statements where the service is told so', async () => {
    const other = await startTestService({ auditStatements: 'digest' });
    const target = await makers(other).dataSource({ configUri: await emptySqlite(await temporaryFolder()) });
    await queryHelpers(other).run(target.id, "select 'of-nobody-else'");
    const entries = await listAudit({ ...other.store, query: { limit: 100 } });
    assert.ok(entries.some(({ operation }) => operation === 'executeCommands'));
    assert.ok(!JSON.stringify(entries).includes('of-nobody-else'));
  });

  it("has only digests of a person's statements there too, whatever becomes of the query", async () => {
    const other = await startTestService({ auditStatements: 'digest' });
    const ada = await inEditor(other, await emptySqlite(await temporaryFolder()));
    const grant = await makers(other).permission(ada.source.id, ada.person.id);
    const texts = ["select 'of-nobody-else' as x", "select 'of-nobody-else' from"];
    for (const text of texts) await ada.completed(await ada.execute(text));
    const [, query] = await ada.session.ok('listMyQueries', 'GET', '/query?search=nobody-else');
    await ada.session.ok('listMyQueryRows', 'GET', `/query/${query?.id}/result/0/rows`);
    await ada.session.call('GET', `/query/${query?.id}/result/0/export?format=csv`);
    await other.ok('DELETE', `/permission/${grant.id}`);
    await ada.session.call('POST', `/editor/${ada.editor}/query`, { json: { commands: texts } });
    const entries = await listAudit({ ...other.store, query: { limit: 100 } });
    assert.ok(!JSON.stringify(entries).includes('of-nobody-else'));
    const digests = await withData(other.store, ({ digest }) =>
      Promise.resolve(texts.map((text) => [digestText(text, digest)])),
    );
    assert.deepEqual(
      entries
        .filter(({ operation }) => operation === 'executeInEditor')
        .flatMap(({ changes }) => changes.map(({ after }) => after?.['commands']))
        .filter((commands) => commands !== undefined),
      digests,
    );
  });
});

it('what the trail cannot record is not answered', async () => {
  const { query } = await queries.run(source.id, 'select 1');
  await make.role();
  const stop =
    storeKind === 'sqlite'
      ? [
          "create trigger stopped before insert on audit_entry begin select raise(abort, 'stopped'); end",
          'drop trigger stopped',
        ]
      : [
          'alter table audit_entry add constraint stopped check (false) not valid',
          'alter table audit_entry drop constraint stopped',
        ];
  await askStore(service.store, String(stop[0]));
  for (const [method, path] of [
    ['GET', `/query/${query.id}/result/0/rows`],
    ['POST', `/data-source/${source.id}/test`],
    ['GET', '/audit'],
  ] as const) {
    assertProblem(await service.call(method, path), 500, 'internal_error');
  }
  await askStore(service.store, String(stop[1]));
  assert.equal((await queries.rows(query.id, 0)).length, 1);
});

describe('GET /audit', () => {
  it('gives the entries after a number as they are in the chain, in pages', async () => {
    await make.role();
    const all = await read('?limit=1000');
    assert.deepEqual(
      all.map(({ seq }) => seq),
      all.map((_entry, index) => index + 1),
    );
    assert.deepEqual(all, (await trail()).slice(0, all.length));
    assert.deepEqual(await read('?after=2&limit=3'), all.slice(2, 5));
    assert.equal((await verifyAudit(service.store)).broken, undefined);
  });

  it('gives the newest entries before a number, the oldest of them first', async () => {
    const all = await read('?limit=1000');
    assert.deepEqual(await read('?before=5&limit=2'), all.slice(2, 4));
    assert.deepEqual((await lastOf('listAuditEntries'))?.changes[0]?.after, { before: 5, entries: 2 });
    assert.deepEqual(await read('?before=5'), all.slice(0, 4));
    assert.deepEqual(await read('?before=1'), []);
    const newest = await trail(3);
    assert.deepEqual(await read('?before=999999999999999&limit=3'), newest);
  });

  it('is itself recorded, but where only readings were read: who polls comes to an end', async () => {
    await make.role();
    const first = await read('?limit=1000');
    const entry = (await trail(1))[0];
    assert.equal(entry?.operation, 'listAuditEntries');
    assert.equal(entry.actor.id, service.keys.admin.id);
    assert.deepEqual(entry.changes[0]?.after, { after: 0, entries: first.length });
    const second = await read(`?after=${first.at(-1)?.seq ?? 0}`);
    assert.deepEqual(
      second.map(({ operation }) => operation),
      ['listAuditEntries'],
    );
    assert.deepEqual(await read(`?after=${second.at(-1)?.seq ?? 0}`), []);
  });

  it('takes the words of a reading in a text for no reading', async () => {
    const { seq = 0 } = (await trail(1))[0] ?? {};
    await make.role('"operation":"listAuditEntries"');
    assert.equal((await read(`?after=${seq}`)).length, 1);
    assert.equal((await lastOf('listAuditEntries'))?.changes[0]?.after?.['after'], seq);
  });

  it('ends an answer before it gets large', async () => {
    const { seq: from = 0 } = (await trail(1))[0] ?? {};
    const commands = Array.from({ length: 1000 }, (_, index) => `select ${index}`);
    // Nothing answers there, so that each query fails at once.
    const { id } = await make.dataSource({ configUri: 'postgresql://u@127.0.0.1:1/x' });
    for (let count = 0; count < 60; count += 1) await queries.execute(id, ...commands);
    const { text, body } = await service.call('GET', `/audit?after=${from}&limit=1000`);
    assert.ok(text.length < 5 * 1024 ** 2, `${text.length} bytes`);
    const page = body as Entry[];
    assert.equal(page[0]?.seq, from + 1);
    assert.ok(page.length < 60 && page.length > 10);
    assert.equal((await read(`?after=${page.at(-1)?.seq ?? 0}`))[0]?.seq, (page.at(-1)?.seq ?? 0) + 1);
  });

  it('is for the scope admin, and refuses limits beyond its bound', async () => {
    for (const scope of ['read', 'write'] as const) {
      assertProblem(await service.call('GET', '/audit', { key: service.keys[scope] }), 403, 'insufficient_scope');
    }
    for (const search of ['?limit=0', '?limit=1001', '?limit=x', '?after=-1', '?since=1', '?after=1&before=3']) {
      assertProblem(await service.call('GET', `/audit${search}`), 400, 'malformed_parameter');
    }
  });
});
