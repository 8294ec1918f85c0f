import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listAudit } from '@rolecall/server';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { signedIn } from '../support/person.ts';
import { emptySqlite, queryHelpers } from '../support/queries.ts';
import { startTestService, temporaryFolder } from '../support/service.ts';
import { inEditor } from './in-editor.ts';

const service = await startTestService();
const make = makers(service);
const configUri = await emptySqlite(await temporaryFolder());
const trailOf = async (person: string) =>
  (await listAudit({ ...service.store, query: { limit: 1000 } })).filter(({ actor }) => actor.id === person);

const awkward = `select 1 as id, '=1+1' as "say ""hi""", 'a,"b"' || char(13, 10) || '],[' as id, null as n, '' as e, x'00ff' as b
  union all select -2, '-5', 'ü🚀\\', '@x', char(9) || 'tab', x''`;

describe("a person's queries", () => {
  it('run in their editor, give their rows, and are in the trail under their name', async () => {
    const { person, source, session, editor, execute, completed } = await inEditor(service, configUri);
    await make.permission(source.id, person.id);
    const id = await execute('select 41 + 1 as answer', 'select 2');
    assert.equal((await completed(id)).success, true);
    assert.deepEqual(await session.ok('listMyQueryRows', 'GET', `/query/${id}/result/0/rows?limit=1`), [['42']]);
    const found = await session.ok('getMyQuery', 'GET', `/query/${id}`);
    assert.deepEqual(
      [found.editor, found.tab, found.beginning, found.numResults, found.dataSource.id],
      [editor, null, 'select 41 + 1 as answer', 2, source.id],
    );
    const { commands } = await session.ok('getMyQueryCommands', 'GET', `/query/${id}/command`);
    assert.deepEqual(commands, ['select 41 + 1 as answer', 'select 2']);
    const trail = await trailOf(person.id);
    const [begun, read] = [trail.find(({ operation }) => operation === 'executeInEditor'), trail.at(-1)];
    assert.equal(begun?.actor.type, 'person');
    assert.match(JSON.stringify(begun.changes), /select 41 \+ 1 as answer/);
    assert.deepEqual(read?.changes[0]?.after, { dataSource: source.id, result: 0, seek: 0, rows: 1 });
  });

  it('bind parameters to one command; their values are in the trail and not in the history', async () => {
    const { person, source, session, editor, completed } = await inEditor(service, configUri);
    await make.permission(source.id, person.id);
    const path = `/editor/${editor}/query`;
    const json = { commands: ['select :a, :b'], parameters: { a: `'; drop`, b: null } };
    const { queryId } = await session.ok('executeInEditor', 'POST', path, { json });
    assert.equal((await completed(queryId)).success, true);
    assert.deepEqual(await session.ok('listMyQueryRows', 'GET', `/query/${queryId}/result/0/rows`), [
      [`'; drop`, null],
    ]);
    const { commands } = await session.ok('getMyQueryCommands', 'GET', `/query/${queryId}/command`);
    assert.deepEqual(commands, ['select :a, :b']);
    const begun = (await trailOf(person.id)).find(({ operation }) => operation === 'executeInEditor');
    assert.match(
      JSON.stringify(begun?.changes),
      /"name":"a","characters":7,"digest":"[^"]+","text":"'; drop"\},\{"name":"b"\}/,
    );
    for (const [refused, why] of [
      [{ commands: ['select :a', 'select 2'], parameters: { a: '1' } }, 'need exactly one command'],
      [{ commands: ['select :a'], parameters: { 'a b': '1' } }, 'must have names of letters, digits and _'],
      [
        { commands: ['select :a'], parameters: Object.fromEntries([...Array(101).keys()].map((at) => [at, ''])) },
        'must have at most 100 parameters',
      ],
    ] as const) {
      const answer = await session.call('POST', path, { json: refused });
      assertProblem(answer, 422, 'invalid_fields');
      assert.ok(answer.text.includes(why), answer.text);
    }
  });

  it('are listed, the newest first and a page at a time, without texts while access is away', async () => {
    const { person, source, session, execute, completed } = await inEditor(service, configUri);
    const grant = await make.permission(source.id, person.id);
    const ids: string[] = [];
    for (let count = 0; count < 3; count += 1) {
      ids.unshift(await execute(`select ${count}`));
      await completed(ids[0] ?? '');
    }
    const list = (search = '') => session.ok('listMyQueries', 'GET', `/query${search}`);
    assert.deepEqual(
      (await list()).map(({ id, beginning }) => [id, beginning]),
      ids.map((id, index) => [id, `select ${2 - index}`]),
    );
    const [newest, second] = await list('?limit=2');
    assert.deepEqual([newest?.id, second?.id], ids.slice(0, 2));
    assert.deepEqual(
      (await list(`?before=${second?.id}`)).map(({ id }) => id),
      ids.slice(2),
    );
    assertProblem(await session.call('GET', '/query?limit=101'), 400, 'malformed_parameter');
    await service.ok('DELETE', `/permission/${grant.id}`);
    assert.deepEqual(
      (await list()).map(({ beginning }) => beginning),
      [null, null, null],
    );
    assertProblem(await session.call('GET', `/query/${ids[0]}/command`), 403, 'access_ended');
  });

  it('can be cancelled and deleted, and are no queries of another person', async () => {
    const { person, source, session, execute, completed } = await inEditor(service, configUri);
    await make.permission(source.id, person.id);
    const ben = await make.person();
    await make.permission(source.id, ben.id);
    const other = await signedIn(service, ben.id);
    const id = await execute('with recursive c(x) as (select 1 union all select x + 1 from c) select count(*) from c');
    const attempts = ['', '/command', '/result/0', '/result/0/rows', '/result/0/export?format=csv'];
    for (const path of attempts) assertProblem(await other.call('GET', `/query/${id}${path}`), 404, 'not_found');
    assertProblem(await other.call('POST', `/query/${id}/cancel`), 404, 'not_found');
    assertProblem(await other.call('DELETE', `/query/${id}`), 404, 'not_found');
    await session.ok('cancelMyQuery', 'POST', `/query/${id}/cancel`);
    assert.equal((await completed(id)).success, false);
    const [listed] = await session.ok('listMyQueries', 'GET', '/query');
    assert.equal(listed?.stopReason, 'cancelled');
    await session.ok('deleteMyQuery', 'DELETE', `/query/${id}`);
    assertProblem(await session.call('GET', `/query/${id}`), 404, 'not_found');
    assert.deepEqual(await session.ok('listMyQueries', 'GET', '/query'), []);
  });

  it('are downloaded whole, as CSV and as JSON, which the trail has', async () => {
    const { person, source, session, execute, completed } = await inEditor(service, configUri);
    await make.permission(source.id, person.id);
    const id = await execute(awkward);
    await completed(id);
    const path = `/query/${id}/result/0/export`;
    const csv = await session.call('GET', `${path}?format=csv`, { headers: { accept: 'text/csv' } });
    assert.equal(
      csv.text,
      ['id,"say ""hi""",id,n,e,b', `1,'=1+1,"a,""b""\r\n],[",,"",00ff`, `-2,'-5,ü🚀\\,'@x,'\ttab,""`, ''].join('\r\n'),
    );
    assert.match(String(csv.headers.get('content-type')), /^text\/csv; charset=utf-8/);
    assert.match(String(csv.headers.get('content-disposition')), /^attachment; filename="source\d+-\d{8}-\d{6}\.csv"$/);
    const json = await session.call('GET', `${path}?format=json`);
    for (const { headers } of [csv, json, await session.call('GET', `/query/${id}/result/0/rows`)]) {
      assert.equal(headers.get('cache-control'), 'no-store');
      assert.equal(headers.get('x-content-type-options'), 'nosniff');
    }
    const first = { id: 1, 'say "hi"': '=1+1', id_2: 'a,"b"\r\n],[', n: null, e: '', b: '00ff' };
    assert.deepEqual((json.body as object[])[0], first);
    const exported = (await trailOf(person.id)).filter(({ operation }) => operation === 'exportMyQueryResult');
    assert.deepEqual(
      exported.map(({ changes }) => [changes[0]?.action, changes[0]?.after?.['format'], changes[0]?.after?.['rows']]),
      [
        ['exported', 'csv', 2],
        ['exported', 'json', 2],
      ],
    );
    assertProblem(await session.call('GET', `${path}?format=xlsx`), 400, 'malformed_parameter');
  });

  it('are not downloaded while rows still come, nor without rows, nor many at a time', async () => {
    const { person, source, session, execute, completed } = await inEditor(service, configUri);
    await make.permission(source.id, person.id);
    const id = await execute('with recursive c(x) as (select 1 union all select x + 1 from c) select x from c');
    await queryHelpers(service).untilRows(id, 0, 1);
    const path = `/query/${id}/result/0/export?format=csv`;
    assertProblem(await session.call('GET', path), 409, 'result_incomplete');
    await session.ok('cancelMyQuery', 'POST', `/query/${id}/cancel`);
    const partial = await session.call('HEAD', path);
    assert.match(String(partial.headers.get('content-disposition')), /-incomplete\.csv"$/);
    const large = await execute(
      'with recursive c(x) as (select 1 union all select x + 1 from c where x < 100) select hex(zeroblob(100000)) from c',
    );
    await completed(large);
    // Clients that do not read: their downloads stay open.
    const signal = AbortSignal.timeout(20_000);
    const ofLarge = `/query/${large}/result/0/export?format=csv`;
    const open = () =>
      fetch(`${service.url}/person/v1${ofLarge}`, { headers: { cookie: `rolecall=${session.token}` }, signal });
    const downloads = await Promise.all(Array.from({ length: 4 }, open));
    assert.deepEqual([...new Set(downloads.map(({ status }) => status))], [200]);
    assertProblem(await session.call('GET', ofLarge), 429, 'too_many_requests');
    for (const { body } of downloads) await body?.cancel();
    while ((await session.call('HEAD', ofLarge)).status !== 200);
    const update = await execute('create table if not exists t (i int)');
    await completed(update);
    assertProblem(await session.call('GET', `/query/${update}/result/0/export?format=csv`), 404, 'not_found');
  });
});
