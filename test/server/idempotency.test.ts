import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { createServer, request as httpRequest } from 'node:http';
import path from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, it } from 'node:test';
import { createClient, type OperationId, operationIds, routeTable } from '@rolecall/api';
import { listAudit } from '@rolecall/server';
import { withData } from '../../server/data/open-data.ts';
import { forgetSomeKeys } from '../../server/store/idempotency.ts';
import { listenOn } from '../support/relay.ts';
import { makers } from './support/make.ts';
import { assertProblem } from './support/match.ts';
import { newBody, pathOf, populate } from './support/populate.ts';
import { emptySqlite, queryHelpers } from './support/queries.ts';
import { type Answer, startTestService, type TestService, temporaryFolder } from './support/service.ts';

let now = Date.now();
const service = await startTestService({ clock: () => new Date(now) });
const make = makers(service);
const ids = await populate(service, make);
const creating = operationIds.filter((id) => routeTable[id].creates === true);

let keys = 0;
const newKey = () => {
  keys += 1;
  return `"key-${keys}"`;
};

function create(
  id: OperationId,
  key: string,
  json: Record<string, unknown>,
  at: Pick<TestService, 'call'> = service,
): Promise<Answer> {
  return at.call('POST', pathOf(id, ids), { json, headers: { 'idempotency-key': key } });
}

async function made(id: OperationId): Promise<number> {
  const entries = await listAudit({ ...service.store, query: { limit: 10_000 } });
  return entries.filter(({ operation }) => operation === id).length;
}

describe('a request with an Idempotency-Key', () => {
  for (const id of creating) {
    it(`is done once, and answered the same, byte for byte (${id})`, async () => {
      const [key, body, before] = [newKey(), newBody(id), await made(id)];
      const first = await create(id, key, body);
      const second = await create(id, key, body);
      assert.equal(first.status, 200, first.text);
      assert.equal(second.status, 200, second.text);
      assert.equal(second.text, first.text);
      assert.equal(first.headers.get('idempotency-replayed'), null);
      assert.equal(second.headers.get('idempotency-replayed'), 'true');
      assert.equal(await made(id), before + 1);
    });
  }

  it('is refused where it is another request than before', async () => {
    const key = newKey();
    const { status } = await create('createRole', key, newBody('createRole'));
    assert.equal(status, 200);
    assertProblem(await create('createRole', key, newBody('createRole')), 422, 'idempotency_key_reused');
    assertProblem(await create('createPerson', key, newBody('createPerson')), 422, 'idempotency_key_reused');
  });

  it('is the same request as a form or as JSON, whatever the order of its fields', async () => {
    const key = newKey();
    const json = await create('createPerson', key, { name: 'Ada', username: 'order', email: 'order@example.com' });
    const form = await service.call('POST', '/person', {
      form: { email: 'order@example.com', username: 'order', name: 'Ada' },
      headers: { 'idempotency-key': key },
    });
    assert.equal(form.text, json.text);
  });

  it('has nothing to do with the same key of another API key', async () => {
    const key = newKey();
    const admin = await create('createRole', key, newBody('createRole'));
    const other = await service.call('POST', '/role', {
      key: service.keys.write,
      json: newBody('createRole'),
      headers: { 'idempotency-key': key },
    });
    assert.equal(other.status, 200);
    assert.notEqual(other.text, admin.text);
  });

  it('is done once when it comes many times at once', async () => {
    const [key, body, before] = [newKey(), newBody('createPermission'), await made('createPermission')];
    const answers = await Promise.all(Array.from({ length: 30 }, () => create('createPermission', key, body)));
    assert.deepEqual(new Set(answers.map(({ status, text }) => `${status} ${text}`)).size, 1);
    assert.equal(answers.filter(({ headers }) => headers.get('idempotency-replayed') === null).length, 1);
    assert.equal(await made('createPermission'), before + 1);
  });

  it('may be tried again when it was refused', async () => {
    const [key, body] = [newKey(), newBody('createRole')];
    const taken = await make.role(String(body['name']));
    assertProblem(await create('createRole', key, body), 409, 'role_name_taken');
    await service.ok('DELETE', `/role/${taken.id}`);
    const { status, headers } = await create('createRole', key, body);
    assert.equal(status, 200);
    assert.equal(headers.get('idempotency-replayed'), null);
  });

  it('is forgotten after 24 hours', async () => {
    const [key, body] = [newKey(), newBody('createSnippet')];
    const first = await create('createSnippet', key, body);
    now += 24 * 3_600_000 - 1;
    assert.equal((await create('createSnippet', key, body)).text, first.text);
    now += 1;
    const later = await create('createSnippet', key, body);
    assert.equal(later.status, 200);
    assert.notEqual(later.text, first.text);
    assert.equal((await create('createSnippet', key, body)).text, later.text, 'and known again from then on');
  });

  it('leaves the store in parts once it is forgotten', async () => {
    const [key, body] = [newKey(), newBody('createRole')];
    await create('createRole', key, body);
    await withData(service.store, async ({ store }) => {
      const forget = (until: string) => store.write([], (executor) => forgetSomeKeys(executor, until));
      assert.deepEqual([await forget('1999'), await forget('9999'), await forget('9999')], [false, true, false]);
    });
    assertProblem(await create('createRole', key, body), 409, 'role_name_taken');
  });

  it('is known with quotes and without, and refused when it is malformed', async () => {
    const body = newBody('createRole');
    const quoted = await create('createRole', '"a-key:1"', body);
    assert.equal((await create('createRole', 'a-key:1', body)).text, quoted.text);
    for (const key of ['""', '"a", "b"', 'a b', '"open', '"\\a"', 'a'.repeat(256), `"${'a'.repeat(256)}"`]) {
      assertProblem(await create('createRole', key, body), 400, 'invalid_idempotency_key');
    }
    assert.equal((await create('createRole', 'a'.repeat(255), newBody('createRole'))).status, 200);
  });

  it('is not asked for where nothing is made', async () => {
    const person = await make.person();
    const locked = await service.call('PUT', `/person/${person.id}/lock`, { headers: { 'idempotency-key': '' } });
    assert.equal(locked.status, 200);
  });
});

describe('commands with an Idempotency-Key', () => {
  it('run once, however often they are sent', async () => {
    const folder = await temporaryFolder();
    const configUri = await emptySqlite(folder);
    const source = await make.dataSource({ configUri });
    const file = path.join(folder, 'target.db');
    const target = new DatabaseSync(file);
    target.exec('CREATE TABLE ran (at TEXT)');
    target.close();
    const send = () =>
      service.call('POST', `/data-source/${source.id}/execute`, {
        json: { commands: ["insert into ran values ('now')"] },
        headers: { 'idempotency-key': '"execute-1"' },
      });
    const answers = [...(await Promise.all([send(), send(), send()])), await send()];
    assert.equal(new Set(answers.map(({ text }) => text)).size, 1, answers.map(({ text }) => text).join());
    const { queryId } = answers[0]?.body as { queryId: string };
    assert.equal((await queryHelpers(service).completed(queryId)).success, true);
    assert.equal((await send()).text, answers[0]?.text);
    const after = new DatabaseSync(file, { readOnly: true });
    assert.equal(after.prepare('SELECT count(*) AS count FROM ran').get()?.['count'], 1);
    after.close();
  });
});

describe('the answer that is kept for an Idempotency-Key', () => {
  it('outlives the service, and can be read by no one else', async () => {
    const dataDir = await temporaryFolder();
    const first = await startTestService({ dataDir });
    const json = { name: 'Kept', alias: 'kept', configUri: 'postgresql://ada:pLanted-5ecret@db.internal/x' };
    const headers = { 'idempotency-key': '"kept"' };
    const key = first.keys.admin;
    const before = await first.call('POST', '/data-source', { json, headers });
    assert.match(before.text, /pLanted-5ecret/);
    await first.close();
    for (const name of await readdir(dataDir)) {
      const bytes = await readFile(path.join(dataDir, name)).catch(() => Buffer.alloc(0));
      assert.equal(bytes.includes('pLanted-5ecret'), false, name);
    }
    const second = await startTestService({ dataDir });
    const after = await second.call('POST', '/data-source', { json, headers, key });
    assert.equal(after.text, before.text);
  });
});

describe('a client whose connection is cut after the service has done what it asked', () => {
  it('asks again with its Idempotency-Key, and has it done once', async () => {
    await using proxy = await cuttingProxy(service.url);
    const { id: keyId, secret: keySecret } = service.keys.admin;
    const client = createClient({ url: proxy.url, keyId, keySecret, retries: { baseDelayMs: 1 } });
    const replays: string[] = [];
    const params = { dataSource: String(ids['dataSource']), person: String(ids['person']) };
    const before = await made('createPermission');
    const granted = await client.call(
      'createPermission',
      { params, body: { duration: 7777 } },
      { idempotencyKey: 'cut', onReplayed: () => replays.push('replayed') },
    );
    await client.close();
    assert.deepEqual(replays, ['replayed']);
    assert.equal(await made('createPermission'), before + 1);
    const listed = await service.ok<{ id: string }[]>('GET', `/person/${params.person}/permission`);
    assert.equal(listed.filter(({ id }) => id === granted.id).length, 1);
  });
});

/** Hands requests on; the first answer it keeps to itself, and cuts the connection instead. */
async function cuttingProxy(target: string) {
  let cut = false;
  const server = createServer((request, response) => {
    const { method = 'GET', headers } = request;
    const onwards = httpRequest(`${target}${request.url ?? ''}`, { method, headers }, (answer) => {
      if (!cut) {
        cut = true;
        answer.resume().on('end', () => request.socket.destroy());
        return;
      }
      response.writeHead(answer.statusCode ?? 502, answer.headers);
      answer.pipe(response);
    });
    request.pipe(onwards);
  });
  const port = await listenOn(server);
  return {
    url: `http://127.0.0.1:${port}`,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
