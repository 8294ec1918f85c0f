import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { InvalidRequestError, RedirectError } from '@rolecall/api';
import { harness, keySecret, rejection } from './harness.ts';
import { json, raw, scriptedServer } from './scripted-server.ts';

const role = { id: 'r1', name: 'a', createdAt: '2026-11-02T08:30:00.000Z', updatedAt: '2026-11-02T08:30:00.000Z' };
const dataSource = {
  ...role,
  alias: null,
  type: 'sqlite',
  configUri: 'sqlite:///a.db',
};

describe('a request', () => {
  it('carries the headers of the specification', async () => {
    await using server = await scriptedServer(json([]));
    await using it = harness(server.url, { userAgent: 'rolecall-test/1' });
    await it.client.call('listPeople', {});
    const { method, url, headers, body } = server.received[0]!;
    assert.equal(`${method} ${url}`, 'GET /api/v2/person');
    assert.equal(headers.accept, 'application/vnd.service.v2+json');
    assert.equal(headers.authorization, `Basic ${Buffer.from(`key1@api:${keySecret}`).toString('base64')}`);
    assert.equal(headers['user-agent'], 'rolecall-test/1');
    assert.equal(headers['content-type'], undefined);
    assert.equal(body, '');
  });

  it('goes below the path prefix of the URL, whatever slashes end it', async () => {
    await using server = await scriptedServer(json([]));
    for (const prefix of ['', '/', '/a/b', '/a/b/', '/a/b//']) {
      await using it = harness(server.url + prefix);
      await it.client.call('listRoles', {});
    }
    const root = '/api/v2/role';
    assert.deepEqual(
      server.received.map(({ url }) => url),
      [root, root, `/a/b${root}`, `/a/b${root}`, `/a/b${root}`],
    );
  });

  it('sends a form, with the empty string for null and nothing for undefined', async () => {
    await using server = await scriptedServer(json(dataSource));
    await using it = harness(server.url);
    const body = { name: 'a&b=c é+☃', alias: null, configUri: 'sqlite:///a.db' };
    await it.client.call('createDataSource', { body });
    await it.client.call('createDataSource', { body: { name: 'x', alias: undefined, configUri: 'sqlite:///a.db' } });
    const [first, second] = server.received;
    assert.equal(first!.headers['content-type'], 'application/x-www-form-urlencoded');
    assert.deepEqual(Object.fromEntries(new URLSearchParams(first!.body)), { ...body, alias: '' });
    assert.deepEqual(Object.fromEntries(new URLSearchParams(second!.body)), { name: 'x', configUri: 'sqlite:///a.db' });
  });

  it('writes numbers and booleans of a form as text', async () => {
    await using server = await scriptedServer(json({}));
    await using it = harness(server.url, { retries: { attempts: 1 } });
    const params = { dataSource: 'd', person: 'p' };
    await assert.rejects(it.client.call('createPermission', { params, body: { duration: 3_153_600_000 } }));
    await assert.rejects(
      it.client.call('createSnippet', {
        body: { name: 'n', description: '', text: 't', isLocked: false, publicAccessLevel: 'none', owner: 'none' },
      }),
    );
    assert.equal(server.received[0]!.body, 'duration=3153600000');
    assert.match(server.received[1]!.body, /^name=n&description=&text=t&isLocked=false&/);
  });

  it('sends JSON where the operation takes JSON', async () => {
    await using server = await scriptedServer(json({ queryId: '0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007' }));
    await using it = harness(server.url);
    await it.client.call('executeCommands', { params: { dataSource: 'd' }, body: { commands: ['select 1', 'é'] } });
    const { headers, body } = server.received[0]!;
    assert.equal(headers['content-type'], 'application/json');
    assert.deepEqual(JSON.parse(body), { commands: ['select 1', 'é'] });
  });

  it('writes the query string, without what is left out', async () => {
    await using server = await scriptedServer(json([]));
    await using it = harness(server.url);
    const query = '0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007';
    const params = { query, resultIndex: '0' };
    await it.client.call('listQueryRows', { params, query: { seek: '500' } });
    await it.client.call('listQueryRows', { params });
    assert.deepEqual(
      server.received.map(({ url }) => url),
      [`/api/v2/query/${query}/result/0/rows?seek=500`, `/api/v2/query/${query}/result/0/rows`],
    );
    assert.deepEqual(it.calls[0]!.path, `/api/v2/query/${query}/result/0/rows`);
  });

  it('sends the Idempotency-Key that it is given', async () => {
    await using server = await scriptedServer(json(role));
    await using it = harness(server.url);
    await it.client.call('createRole', { body: { name: 'a' } }, { idempotencyKey: 'step-7' });
    assert.equal(server.received[0]!.headers['idempotency-key'], 'step-7');
  });

  it('names the definition of what it writes, beside the manager and never without', async () => {
    await using server = await scriptedServer(json({}));
    const headersOf = () =>
      server.received.map(({ headers }) => [headers['rolecall-manager'], headers['rolecall-definition']]);
    const params = { person: 'p' };
    const declaredAs = { definition: 'Person/ada', isKept: false };
    await using managed = harness(server.url, { manager: 'rolecall/acme' });
    await managed.client.call('lockPerson', { params });
    await managed.client.call('lockPerson', { params }, { declaredAs });
    await managed.client.call('lockPerson', { params }, { exact: true, declaredAs: { ...declaredAs, isKept: true } });
    await managed.client.call('readLease', {}, { declaredAs }).catch(() => undefined);
    await using silent = harness(server.url);
    await silent.client.call('lockPerson', { params }, { declaredAs });
    assert.deepEqual(headersOf(), [
      ['rolecall/acme', undefined],
      ['rolecall/acme', 'Person/ada'],
      ['rolecall/acme; exact', 'Person/ada; keep'],
      [undefined, undefined],
      [undefined, undefined],
    ]);
  });

  it('percent-encodes path parameters, so that none names another resource', async () => {
    await using server = await scriptedServer(json({}));
    await using it = harness(server.url);
    await it.client.call('lockPerson', { params: { person: 'a/../b?c#d%2f é' } });
    assert.equal(server.received[0]!.url, '/api/v2/person/a%2F..%2Fb%3Fc%23d%252f%20%C3%A9/lock');
  });

  it('is refused unsent when a path parameter is empty, missing or a dot segment', async () => {
    await using server = await scriptedServer(json({}));
    await using it = harness(server.url);
    for (const person of ['', '.', '..', '\ud800', undefined as unknown as string]) {
      const error = await rejection(it.client.call('getPerson', { params: { person } }), InvalidRequestError);
      assert.equal(error.field, 'person');
      assert.match(error.message, /^getPerson: person /);
    }
    assert.equal(server.received.length, 0);
  });

  it('is refused unsent when a form cannot carry a value as it is', async () => {
    await using server = await scriptedServer(json({}));
    await using it = harness(server.url);
    for (const name of ['half \ud83d', ['a'] as unknown as string, Number.NaN as unknown as string]) {
      const error = await rejection(it.client.call('createRole', { body: { name } }), InvalidRequestError);
      assert.equal(error.field, 'name');
    }
    assert.equal(server.received.length, 0);
  });

  it('goes over connections that are kept, no more than the bound', async () => {
    await using server = await scriptedServer(json([]));
    await using it = harness(server.url, { connections: 3 });
    for (let round = 0; round < 5; round += 1) {
      await Promise.all(Array.from({ length: 20 }, () => it.client.call('listPeople', {})));
    }
    assert.equal(server.received.length, 100);
    assert.equal(server.connections(), 3);
    assert.equal(it.calls.length, 100);
  });

  it('asks whether an answer that is known has changed, and gives that very answer where it has not', async () => {
    const first = json([], 200, { etag: '"one"' });
    const same = raw(304, { etag: '"one"' }, '');
    const other = json([], 200, { etag: 'W/"two"' });
    await using server = await scriptedServer(first, same, other);
    await using it = harness(server.url);
    const tags: string[] = [];
    const onTag = (tag: string) => tags.push(tag);
    const answer = await it.client.call('listPeople', {}, { onTag });
    const known = { tag: tags[0] ?? '', answer };
    assert.equal(await it.client.call('listPeople', {}, { cachedAnswer: known, onTag }), answer);
    assert.notEqual(await it.client.call('listPeople', {}, { cachedAnswer: known, onTag }), answer);
    assert.deepEqual(
      server.received.map(({ headers }) => headers['if-none-match']),
      [undefined, '"one"', '"one"'],
    );
    assert.deepEqual(tags, ['"one"', '"one"', 'W/"two"']);
  });

  it('takes it for no answer that nothing has changed where nothing was known', async () => {
    await using server = await scriptedServer(raw(304, { etag: '"one"' }, ''));
    await using it = harness(server.url, { retries: { attempts: 1 } });
    await rejection(it.client.call('listPeople', {}), RedirectError);
  });
});
