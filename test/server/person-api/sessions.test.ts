import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { Sessions } from '../../../server/sign-in/sessions.ts';
import { StoreClock } from '../../../server/store-clock.ts';
import { makers } from '../support/make.ts';
import { leaveIdle, signedIn } from '../support/person.ts';
import { sendRaw } from '../support/raw-http.ts';
import { basic, startTestService } from '../support/service.ts';
import { askStore } from '../support/stores.ts';
import { until } from './in-editor.ts';

const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;

const service = await startTestService();
const make = makers(service);

describe("a person's session", () => {
  it('shows who is signed in, to a browser and to the command line', async () => {
    const ada = await make.person();
    for (const kind of ['browser', 'command_line'] as const) {
      const session = await signedIn(service, ada.id, { kind });
      const me = await session.ok('getMe', 'GET', '/me');
      assert.equal(me.person.id, ada.id);
      assert.equal(me.session.kind, kind);
      assert.equal(me.session.isCurrent, true);
    }
  });

  it('ends at once when the person signs out, is locked or is deleted', async () => {
    const ends: Record<
      string,
      (person: string, call: Awaited<ReturnType<typeof signedIn>>['call']) => Promise<unknown>
    > = {
      'sign-out': (_person, call) => call('POST', '/sign-out'),
      lock: (person) => service.ok('PUT', `/person/${person}/lock`),
      deletion: async (person) => {
        await service.ok('PUT', `/person/${person}/lock`);
        await service.ok('DELETE', `/person/${person}`);
      },
    };
    for (const [name, end] of Object.entries(ends)) {
      const person = await make.person();
      const { call } = await signedIn(service, person.id);
      assert.equal((await call('GET', '/me')).status, 200, name);
      await end(person.id, call);
      const answer = await call('GET', '/me');
      assert.equal(answer.status, 401, name);
      assert.equal(codeOf(answer), 'signed_out', name);
    }
  });

  it('does not begin again when the person is unlocked, and neither does a password for the gateway that it made', async () => {
    const [person, source] = [await make.person(), await make.dataSource()];
    await make.permission(source.id, person.id);
    const { ok, call } = await signedIn(service, person.id);
    await ok('createGatewayPassword', 'POST', `/data-source/${source.id}/gateway-password`, { json: {} });
    await service.ok('PUT', `/person/${person.id}/lock`);
    await service.ok('PUT', `/person/${person.id}/unlock`);
    assert.equal(codeOf(await call('GET', '/me')), 'signed_out');
    const fresh = await signedIn(service, person.id);
    assert.deepEqual(await fresh.ok('listMyGatewayPasswords', 'GET', '/gateway-password'), []);
    // What changes nothing ends nothing.
    await service.ok('PUT', `/person/${person.id}/unlock`);
    assert.equal((await fresh.call('GET', '/me')).status, 200);
  });

  it('is no session of another person, who can neither see nor end it', async () => {
    const [ada, ben] = [await make.person(), await make.person()];
    const [own, other] = [await signedIn(service, ada.id), await signedIn(service, ben.id)];
    assert.deepEqual(
      (await other.ok('listMySessions', 'GET', '/session')).map(({ id }) => id),
      [other.session],
    );
    assert.equal((await other.call('DELETE', `/session/${own.session}`)).status, 404);
    assert.equal((await own.call('GET', '/me')).status, 200);
    await own.ok('endMySession', 'DELETE', `/session/${own.session}`);
    assert.equal((await own.call('GET', '/me')).status, 401);
  });

  it('ends another one of the person only just after a factor was proven', async () => {
    const ada = (await make.person()).id;
    const [old, other] = [
      await signedIn(service, ada, { provenAt: Date.now() - 3_600_000 }),
      await signedIn(service, ada),
    ];
    assert.equal(codeOf(await old.call('DELETE', `/session/${other.session}`)), 'recent_sign_in_required');
    await other.ok('endMySession', 'DELETE', `/session/${old.session}`);
    assert.equal((await old.call('GET', '/me')).status, 401);
  });

  it('lets only /me and the sign-out through while a second factor is missing', async () => {
    const ada = await make.person();
    const { call } = await signedIn(service, ada.id, { state: 'pending', factors: ['password'] });
    assert.equal((await call('GET', '/me')).status, 200);
    assert.equal(codeOf(await call('GET', '/session')), 'second_factor_required');
    assert.equal((await call('POST', '/sign-out')).status, 200);
  });

  it('is refused where the row was made or changed in the database', async () => {
    const ada = await make.person();
    const { call } = await signedIn(service, ada.id, { state: 'pending', factors: ['password'] });
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        await db.updateTable('person_session').set({ state: 'whole' }).where('person_id', '=', ada.id).execute();
      }),
    );
    assert.equal(codeOf(await call('GET', '/session')), 'signed_out');
  });

  it('lives as long as the service says, from the last request on, and is written before a restart', async () => {
    const first = await startTestService({ sessionLengths: { idle: 600, whole: 6000 } });
    const { call, session } = await signedIn(first, (await makers(first).person()).id);
    const last = async () => {
      const [row] = await askStore(first.store, 'select last_used_at, idle_seconds from person_session where id = $1', [
        session,
      ]);
      return {
        idleFor: (Date.now() - Date.parse(String(row?.['last_used_at']))) / 1000,
        may: Number(row?.['idle_seconds']),
      };
    };
    await leaveIdle(first, session, 300);
    assert.equal((await call('GET', '/me')).status, 200);
    await until(async () => (await last()).idleFor < 200);
    assert.equal((await last()).may, 600);
    await leaveIdle(first, session, 300);
    assert.equal((await call('GET', '/me')).status, 200);
    await first.close();
    assert.ok((await last()).idleFor < 200);
  });

  it('that is over is deleted in the background, with tokens that are over', async () => {
    const ada = await make.person();
    const { session } = await signedIn(service, ada.id);
    const other = await signedIn(service, ada.id);
    await service.ok('POST', `/person/${ada.id}/invitation`);
    const left = await withData(service.store, async ({ store, seal, keys }) => {
      const past = { expires_at: '2026-01-01T00:00:00.000Z' };
      await store.write([], async ({ db }) => {
        await db.updateTable('person_session').set(past).where('id', '=', session).execute();
        await db.updateTable('one_time_token').set(past).where('person_id', '=', ada.id).execute();
      });
      const parts = { store, seal, clock: new StoreClock(), follow: () => keys.follow() };
      await new Sessions(parts).tidy();
      return store.read(async ({ db }) => ({
        sessions: await db.selectFrom('person_session').select('id').where('person_id', '=', ada.id).execute(),
        tokens: await db.selectFrom('one_time_token').select('id').where('person_id', '=', ada.id).execute(),
      }));
    });
    assert.deepEqual(
      left.sessions.map(({ id }) => id),
      [other.session],
    );
    assert.equal(left.tokens.length, 0);
  });

  it('changes nothing for a page of another site, nor without the token of the session', async () => {
    const ada = await make.person();
    const { call } = await signedIn(service, ada.id);
    for (const headers of [
      { origin: 'https://evil.example' },
      { 'sec-fetch-site': 'cross-site' },
      { 'sec-fetch-site': 'same-site' },
      { 'rolecall-csrf': 'guessed' },
      { 'rolecall-csrf': '' },
    ]) {
      const answer = await call('POST', '/sign-out', { headers: headers });
      assert.equal(codeOf(answer), 'cross_site_request', JSON.stringify(headers));
    }
    assert.equal((await call('GET', '/me')).status, 200);
  });

  it('is taken only where it belongs: no cookie from the command line, no bearer token of a browser, no way into /api/v2', async () => {
    const ada = await make.person();
    const [browser, tool] = [
      await signedIn(service, ada.id),
      await signedIn(service, ada.id, { kind: 'command_line' }),
    ];
    const get = (path: string, headers: Record<string, string>) => service.call('GET', path, { key: null, headers });
    assert.equal((await get('/person/v1/me', { authorization: `Bearer ${browser.token}` })).status, 401);
    assert.equal((await get('/person/v1/me', { cookie: `rolecall=${tool.token}` })).status, 401);
    assert.equal((await get('/api/v2/person', { cookie: `rolecall=${browser.token}` })).status, 401);
    assert.equal((await get('/api/v2/person', { authorization: `Bearer ${tool.token}` })).status, 401);
    assert.equal((await get('/person/v1/me', { authorization: basic(service.keys.admin) })).status, 401);
  });

  it('opens nothing by another spelling of a path, as a key does not open its things', async () => {
    const { token } = await signedIn(service, (await make.person()).id);
    // As it is written: fetch would normalize it.
    const ask = async (path: string, header: string) => {
      const request = `GET ${path} HTTP/1.1\r\nHost: localhost\r\n${header}\r\nConnection: close\r\n\r\n`;
      return Number((await sendRaw(service.url, [request])).slice(9, 12));
    };
    const [session, key] = [`Cookie: rolecall=${token}`, `Authorization: ${basic(service.keys.admin)}`];
    assert.equal(await ask('/person/v1/%6de', session), 200, 'the same path');
    assert.equal(await ask('/%61pi/v2/person', key), 200, 'the same path');
    for (const [from, to] of [
      ['/person/v1', '/api/v2/person'],
      ['/api/v2', '/person/v1/me'],
    ] as const) {
      const encoded = `/%${to.charCodeAt(1).toString(16)}${to.slice(2)}`;
      const spellings = [
        ...[to, encoded, `/${to}`, `${to}/`, `${to};`, `${to}%00`, `${to}#${from}`, `http://evil.example${to}`],
        ...[to.toUpperCase(), to.replaceAll('/', '//'), to.replaceAll('/', '\\'), to.replaceAll('/', '%2f')],
        ...[`${from}/../..${to}`, `${from}/%2e%2e/%2e%2e${to}`, `${from}/..%2f..${to.replaceAll('/', '%2f')}`],
        ...[`/.${to}`, `${from}/.${to}`, `${from}${to}`],
      ];
      for (const spelling of spellings) {
        const status = await ask(spelling, to.startsWith('/api') ? session : key);
        assert.ok(status === 401 || status === 404 || status === 400, `${spelling}: ${status}`);
      }
    }
  });
});
