import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type OperationId, operationIds, routeTable } from '@rolecall/api';
import { makers } from './support/make.ts';
import { assertProblem } from './support/match.ts';
import { newBody, pathOf, populate } from './support/populate.ts';
import { startTestService } from './support/service.ts';

const service = await startTestService();
const make = makers(service);

const isOfQuery = (id: OperationId) => routeTable[id].path.includes(':query');
// The audit trail has another entry after each reading of it.
const reading = operationIds.filter(
  (id) => routeTable[id].method === 'GET' && !isOfQuery(id) && id !== 'listAuditEntries',
);
const guarded = operationIds.filter((id) => routeTable[id].changes !== undefined);

async function tagAt(path: string): Promise<string> {
  const { headers, status, text } = await service.call('GET', path);
  assert.equal(status, 200, text);
  const tag = headers.get('etag') ?? '';
  assert.match(tag, /^"[A-Za-z0-9_-]{22}"$/);
  return tag;
}

function bodyFor(id: OperationId): { json?: Record<string, unknown> } {
  if (id === 'updateDataSource') return { json: { name: 'Other' } };
  if (id === 'updateSnippet') return { json: { publicAccessLevel: 'manage' } };
  return routeTable[id].body === undefined ? {} : { json: newBody(id) };
}

describe('an ETag', () => {
  it('is on every answer to GET, stays while the answer does, and spares sending it again', async () => {
    const ids = await populate(service, make);
    for (const id of reading) {
      const path = pathOf(id, ids);
      const tag = await tagAt(path);
      assert.equal(await tagAt(path), tag, id);
      for (const known of [tag, `"other", ${tag}`, `W/${tag}`, '*']) {
        const { status, text, headers } = await service.call('GET', path, { headers: { 'if-none-match': known } });
        assert.equal(status, 304, `${id} ${known}`);
        assert.equal(text, '');
        assert.equal(headers.get('etag'), tag);
        assert.equal(headers.get('vary'), 'accept');
        assert.equal(headers.get('cache-control'), 'no-store');
      }
      const other = await service.call('GET', path, { headers: { 'if-none-match': '"other"' } });
      assert.equal(other.status, 200);
    }
  });

  it('is another one as soon as the object is, and so is that of the list', async () => {
    const person = await make.person();
    const before = [await tagAt(`/person/${person.id}`), await tagAt('/person')];
    await service.ok('PUT', `/person/${person.id}/lock`);
    const after = [await tagAt(`/person/${person.id}`), await tagAt('/person')];
    assert.notEqual(after[0], before[0]);
    assert.notEqual(after[1], before[1]);
    await service.ok('PUT', `/person/${person.id}/unlock`);
    assert.deepEqual([await tagAt(`/person/${person.id}`), await tagAt('/person')], before);
  });

  it('moves when only the password of a data source does', async () => {
    const source = await make.dataSource({ configUri: 'postgresql://ada:one@db.internal/x' });
    const before = await tagAt(`/data-source/${source.id}`);
    await service.ok('POST', `/data-source/${source.id}`, {
      form: { configUri: 'postgresql://ada:two@db.internal/x' },
    });
    assert.notEqual(await tagAt(`/data-source/${source.id}`), before);
  });

  it('that cannot be read is malformed', async () => {
    for (const tags of ['abc', '"open', '', '"a" "b"', 'w/"a"']) {
      const answer = await service.call('GET', '/role', { headers: { 'if-none-match': tags } });
      assertProblem(answer, 400, 'malformed_request');
    }
  });
});

describe('If-Match', () => {
  it('shows, of every operation that takes it, what the operation changes', () => {
    for (const id of guarded) {
      const { changes, params } = routeTable[id];
      const shower = operationIds.find((one) => one === changes);
      assert.ok(shower, id);
      assert.equal(routeTable[shower].method, 'GET');
      for (const name of Object.keys(routeTable[shower].params.shape)) assert.ok(name in params.shape, `${id} ${name}`);
    }
  });

  for (const id of guarded) {
    it(`changes nothing when the object is no longer as it was, and else does what it always does (${id})`, async () => {
      const ids = await populate(service, make);
      if (id === 'deletePerson') await service.ok('PUT', `/person/${String(ids['person'])}/lock`);
      if (id === 'unlockPerson') await service.ok('PUT', `/person/${String(ids['person'])}/lock`);
      const { method, changes } = routeTable[id];
      const shown = pathOf(changes as OperationId, ids);
      const tag = await tagAt(shown);
      for (const stale of ['"stale"', `W/${tag}`, `"stale", W/${tag}`]) {
        const refused = await service.call(method, pathOf(id, ids), { ...bodyFor(id), headers: { 'if-match': stale } });
        assertProblem(refused, 412, 'precondition_failed');
        assert.equal(await tagAt(shown), tag);
      }
      const done = await service.call(method, pathOf(id, ids), {
        ...bodyFor(id),
        headers: { 'if-match': `"stale", ${tag}` },
      });
      assert.equal(done.status, 200, done.text);
    });
  }

  it('lets one of many through that read the same', async () => {
    const source = await make.dataSource();
    const tag = await tagAt(`/data-source/${source.id}`);
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        service.call('POST', `/data-source/${source.id}`, {
          form: { name: `Name ${index}` },
          headers: { 'if-match': tag },
        }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
    assert.equal(answers.filter(({ status }) => status === 412).length, 19);
    const done = answers.find(({ status }) => status === 200)?.body as { name: string };
    assert.equal((await service.ok('GET', `/data-source/${source.id}`))['name'], done.name);
  });

  it('with a star wants only that there is something', async () => {
    const role = await make.role();
    const headers = { 'if-match': '*' };
    assert.equal((await service.call('DELETE', `/role/${role.id}`, { headers })).status, 200);
    assertProblem(await service.call('DELETE', `/role/${role.id}`, { headers }), 404, 'not_found');
  });

  it('is refused where it could not be held to anything, rather than left out of account', async () => {
    const answer = await service.call('POST', '/role', { json: { name: 'x' }, headers: { 'if-match': '"a"' } });
    assertProblem(answer, 400, 'malformed_request');
  });
});
