import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OperationId, operationIds, routeTable } from '@rolecall/api';
import { createKey, KeyError, listKeys } from '@rolecall/server';
import { makers } from './support/make.ts';
import { assertProblem } from './support/match.ts';
import { type Ids, newBody, pathOf, populate } from './support/populate.ts';
import { emptySqlite, queryHelpers } from './support/queries.ts';
import { startTestService, temporaryFolder } from './support/service.ts';

/** Those that need a key: the others do not look at it. */
const operations = operationIds.filter((id) => routeTable[id].scope !== 'none');

const service = await startTestService();
const make = makers(service);
const queries = queryHelpers(service);
const uri = await emptySqlite(await temporaryFolder());

/** One of everything on a data source that queries run on, with a query that is complete. */
async function world(): Promise<Ids> {
  const ids = await populate(service, make);
  await service.ok('POST', `/data-source/${ids['dataSource']}`, { form: { configUri: uri } });
  const { query } = await queries.run(String(ids['dataSource']), 'select 1');
  return { ...ids, query: query.id, resultIndex: '0' };
}

const limitedTo = (...dataSources: string[]) => createKey({ ...service.store, scope: 'admin', dataSources });

const [own, other] = [await world(), await world()];
const key = await limitedTo(String(own['dataSource']));
const gone = await make.dataSource({ alias: 'gone' });
const goneKey = await limitedTo('gone');
await service.ok('DELETE', `/data-source/${gone.id}`);

/** What an owner of a data source needs, by hand: the route table is not asked. */
const allowed: readonly OperationId[] = [
  'getDataSource',
  'testDataSource',
  'executeCommands',
  'listDataSourceEditors',
  'listDataSourcePermissions',
  'listDataSourceRoles',
  'deleteDataSourcePermissions',
  'createPermission',
  'updatePermission',
  'deletePermission',
  'deletePairPermissions',
  'listPairPermissions',
  'getPermission',
  'getEditor',
  'getEditorDetail',
  'listEditorMessages',
  'createEditorMessage',
  'deleteEditorMessage',
  'getQuery',
  'cancelQuery',
  'deleteQuery',
  'getQueryResult',
  'listQueryRows',
];
const lists: readonly OperationId[] = ['listDataSources', 'listPermissions', 'listEditors'];
const people: readonly OperationId[] = ['listPeople', 'getPerson'];

const send = (id: OperationId, ids: Ids, by: { id: string; secret: string }, headers = {}) => {
  const { body, method } = routeTable[id];
  const fields = id === 'updateDataSource' ? { name: 'taken over' } : id === 'updateSnippet' ? { owner: 'none' } : null;
  const json = body === undefined ? {} : { json: fields ?? newBody(id) };
  return service.call(method, pathOf(id, ids), { ...json, key: by, headers });
};

/** Everything that there is of a data source and beside it, as the admin key sees it. */
async function stateOf(ids: Ids): Promise<unknown> {
  // The trail grows with every request that is made to look at the rest.
  const reads = operationIds.filter((id) => routeTable[id].method === 'GET' && id !== 'listAuditEntries');
  return Promise.all(reads.map(async (id) => (await send(id, ids, service.keys.admin)).body));
}

describe('a key that is limited to a data source', () => {
  for (const id of operations) {
    it(`${allowed.includes(id) || lists.includes(id) || people.includes(id) ? 'may' : 'may not'} ${id}`, async () => {
      if (lists.includes(id)) {
        const { body } = await send(id, await ownWorld(id), key);
        assert.ok(Array.isArray(body) && body.length > 0, JSON.stringify(body));
        const text = JSON.stringify(body);
        assert.ok(text.includes(String(own['dataSource'])) && !text.includes(String(other['dataSource'])), text);
        assert.deepEqual((await send(id, own, goneKey)).body, []);
        return;
      }
      if (people.includes(id)) {
        assert.equal((await send(id, other, key)).status, 200);
        return;
      }
      if (!allowed.includes(id)) {
        for (const ids of [own, other]) assertProblem(await send(id, ids, key), 403, 'insufficient_scope');
        return;
      }
      assertProblem(await send(id, other, key), 404, 'not_found');
      const match: Record<string, string> = routeTable[id].changes === undefined ? {} : { 'if-match': '*' };
      assertProblem(await send(id, other, key, { ...match, 'idempotency-key': '"x"' }), 404, 'not_found');
      assertProblem(await send(id, own, goneKey), 404, 'not_found');
      const answer = await send(id, await ownWorld(id), key);
      assert.equal(answer.status, 200, answer.text);
    });
  }

  it('changed nothing of another data source, and nothing beside its own', async () => {
    const before = await stateOf(other);
    for (const id of operations) await send(id, other, key);
    assert.deepEqual(await stateOf(other), before);
  });

  it('answers for what belongs to others exactly as for what does not exist', async () => {
    for (const [id, name] of [['getDataSource', 'dataSource'] as const, ['getEditor', 'editor'] as const]) {
      const nowhere = { ...other, [name]: 'nothinghere1' };
      const said = async (ids: Ids) => {
        const { code, detail } = (await send(id, ids, key)).body as { code: string; detail: string };
        return { code, detail: detail.replace(String(ids[name]), '') };
      };
      assert.deepEqual(await said(other), await said(nowhere));
    }
  });

  it('gets no list that was kept for another key, and none gets its list', async () => {
    const ask = async (by: typeof key, headers = {}) => service.call('GET', '/data-source', { key: by, headers });
    const whole = await ask(service.keys.admin);
    const part = await ask(key);
    assert.notEqual(part.text, whole.text);
    assert.equal((await ask(service.keys.admin)).text, whole.text);
    assert.equal((await ask(key, { 'if-none-match': String(whole.headers.get('etag')) })).status, 200);
    assert.equal((await ask(key, { 'if-none-match': String(part.headers.get('etag')) })).status, 304);
  });

  it('ends with that data source: another one with its alias is another one', async () => {
    const first = await make.dataSource({ alias: 'billing' });
    const billing = await limitedTo('billing');
    assert.equal((await service.call('GET', `/data-source/${first.id}`, { key: billing })).status, 200);
    await service.ok('DELETE', `/data-source/${first.id}`);
    const second = await make.dataSource({ alias: 'billing' });
    assertProblem(await service.call('GET', `/data-source/${second.id}`, { key: billing }), 404, 'not_found');
    assert.deepEqual(await service.ok('GET', '/data-source', { key: billing }), []);
  });

  it('may be limited to several, and still does only what its scope allows', async () => {
    const both = await createKey({
      ...service.store,
      scope: 'read',
      dataSources: [String(own['dataSource']), String(other['dataSource'])],
    });
    assert.equal((await service.ok<unknown[]>('GET', '/data-source', { key: both })).length, 2);
    assertProblem(await send('executeCommands', own, both), 403, 'insufficient_scope');
    const listed = (await listKeys(service.store)).find(({ id }) => id === both.id);
    assert.deepEqual(listed?.dataSources, [own['dataSource'], other['dataSource']]);
  });

  it('does not see the metrics of all', async () => {
    assertProblem(await service.call('GET', '/../../metrics', { key }), 403, 'insufficient_scope');
  });

  it('is not made for a data source that does not exist, nor for none', async () => {
    for (const dataSources of [['nothinghere1'], [], [String(own['dataSource']), 'nowhere']]) {
      await assert.rejects(createKey({ ...service.store, scope: 'read', dataSources }), (error) => {
        return error instanceof KeyError && error.code === 'ERR_KEY_DATA_SOURCE';
      });
    }
  });
});

/** The world of the key with what an operation before has deleted made again. */
async function ownWorld(id: OperationId): Promise<Ids> {
  const [dataSource, person] = [String(own['dataSource']), String(own['person'])];
  const permission = await make.permission(dataSource, person);
  const json = { title: 'Note', message: 'x' };
  const message = await service.ok('POST', `/editor/${own['editor']}/message`, { json });
  const made = { ...own, permission: permission.id, messageId: String(message['id']) };
  if (!routeTable[id].path.includes(':query')) return made;
  return { ...made, query: (await queries.run(dataSource, 'select 1')).query.id };
}
