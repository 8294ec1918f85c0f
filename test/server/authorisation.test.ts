import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operationIds, routeTable, type Scope, scopes } from '@rolecall/api';
import { createKey, revokeKey, rotateKey } from '@rolecall/server';
import { assertProblem } from './support/match.ts';
import { basic, startTestService } from './support/service.ts';

let now = Date.now();
// Far more wrong keys come from this address than from any client.
const limits = { maxGuesses: { address: 100_000, key: 100_000 } };
const service = await startTestService({ clock: () => new Date(now), limits });
const { keys, store: where } = service;

const revoked = await createKey({ ...where, scope: 'admin' });
await revokeKey({ ...where, id: revoked.id });
const rotated = await createKey({ ...where, scope: 'admin' });
await rotateKey({ ...where, id: rotated.id });
// Its time is past by the clock of the service, not by the machine's.
now = Date.now();
const expired = await createKey({ ...where, scope: 'admin', expiresAt: new Date(now + 60_000) });
now += 70_000;
const expiring = await createKey({ ...where, scope: 'admin', expiresAt: new Date(now + 60_000) });

/** Every operation, at a path where nothing exists: a key that may do it gets past 401 and 403. */
const operations = operationIds.flatMap((id) => {
  const route = routeTable[id];
  const path = route.path
    .replace(':query', '0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007')
    .replace(':snippetVersion', '0b9e7f3a-52c4-4f8d-a1b6-8d2f4c6e1007')
    .replace(/:(permission|resultIndex)/, '999999')
    .replace(/:[a-zA-Z]+/g, 'none');
  const methods = route.alsoMethod === undefined ? [route.method] : [route.method, route.alsoMethod];
  const needs = route.scope;
  return needs === 'none' ? [] : methods.map((method) => ({ id, method, path, needs }));
});

describe('every operation', () => {
  it('is closed to callers without a valid key, with a Basic challenge', async () => {
    const other = { ...keys.admin, secret: keys.read.secret };
    for (const headers of [
      undefined,
      { authorization: 'Bearer x' },
      { authorization: 'Basic' },
      { authorization: 'Basic ???' },
      { authorization: `Basic ${Buffer.from(`${keys.admin.id}:${keys.admin.secret}`).toString('base64')}` },
      { authorization: basic({ id: 'nobody', secret: 'x' }) },
      { authorization: basic({ ...keys.admin, secret: '' }) },
      { authorization: basic({ ...keys.admin, secret: `${keys.admin.secret}x` }) },
      { authorization: basic(other) },
      { authorization: basic(revoked) },
      { authorization: basic(rotated) },
      { authorization: basic(expired) },
    ]) {
      for (const { id, method, path } of operations) {
        const answer = await service.call(method, path, { key: null, ...(headers === undefined ? {} : { headers }) });
        assertProblem(answer, 401, 'unauthenticated');
        assert.match(String(answer.headers.get('www-authenticate')), /^Basic realm="/, id);
      }
    }
  });

  for (const scope of scopes) {
    it(`is open to a key of the scope ${scope} exactly when the route table says so`, async () => {
      for (const { id, method, path, needs } of operations) {
        const answer = await service.call(method, path, { key: keys[scope] });
        if (includes(scope, needs)) assert.ok(![401, 403].includes(answer.status), `${id}: ${answer.text}`);
        else assertProblem(answer, 403, 'insufficient_scope');
      }
    });
  }

  it('asks who it is before anything else', async () => {
    for (const { method, path } of operations) {
      const bad = { key: null, headers: { accept: 'text/html', 'content-type': 'x' } };
      assertProblem(await service.call(method, `${path}?bad=1`, bad), 401, 'unauthenticated');
      if (method === 'GET') continue;
      assertProblem(await service.call(method, path, { ...bad, body: 'x' }), 401, 'unauthenticated');
    }
  });
});

describe('a key', () => {
  it('that is revoked while the service runs is refused from the next request on', async () => {
    const key = await createKey({ ...where, scope: 'read' });
    assert.equal((await service.call('GET', '/person', { key })).status, 200);
    await revokeKey({ ...where, id: key.id });
    assertProblem(await service.call('GET', '/person', { key }), 401, 'unauthenticated');
  });

  it('that is rotated while the service runs has one secret only, the new one', async () => {
    const key = await createKey({ ...where, scope: 'read' });
    assert.equal((await service.call('GET', '/person', { key })).status, 200);
    const renewed = await rotateKey({ ...where, id: key.id });
    assertProblem(await service.call('GET', '/person', { key }), 401, 'unauthenticated');
    assert.equal((await service.call('GET', '/person', { key: renewed })).status, 200);
  });

  it('ends with its expiry', async () => {
    assert.equal((await service.call('GET', '/person', { key: expiring })).status, 200);
    now += 60_000;
    assertProblem(await service.call('GET', '/person', { key: expiring }), 401, 'unauthenticated');
    assert.match((await service.call('GET', '/person', { key: expiring })).text, /expired/);
  });

  it('may be written with another case of the scheme', async () => {
    const headers = { authorization: basic(keys.read).replace('Basic', 'bASIC') };
    assert.equal((await service.call('GET', '/person', { key: null, headers })).status, 200);
  });
});

/** What each scope may do, said once more by hand: reading needs read, changing needs write, secrets need admin. */
function includes(held: Scope, needed: Scope): boolean {
  const rank = { read: 0, write: 1, admin: 2 };
  return rank[held] >= rank[needed];
}

describe('the route table', () => {
  it('needs no key only for the calls that give one', () => {
    assert.deepEqual(
      operationIds.filter((id) => routeTable[id].scope === 'none'),
      ['exchangeToken'],
    );
  });

  it('asks admin for passwords, execution, the audit trail and how people sign in, write for every other change, read for the rest', () => {
    const kept = ['getDataSourceDetail', 'executeCommands', 'listAuditEntries'];
    const signIn = ['invitePerson', 'listInvitations', 'listSessions', 'endSession'];
    const gateway = ['listGatewaySessions', 'endGatewaySession'];
    for (const { id, method, needs } of operations) {
      const isRead = method === 'GET' || id === 'compareSnapshot';
      const expected = [...kept, ...signIn, ...gateway].includes(id) ? 'admin' : isRead ? 'read' : 'write';
      assert.equal(needs, expected, id);
    }
  });
});
