import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PersonAnswerOf, type PersonRoute, personRouteTable, type TotpSetup } from '@rolecall/api';
import { newId } from '../../../server/ids.ts';
import { openEvents } from '../support/events.ts';
import { storeGatewaySessions } from '../support/gateway-session.ts';
import { makers } from '../support/make.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { emptySqlite } from '../support/queries.ts';
import { type Answer, startTestService, type TestService, temporaryFolder } from '../support/service.ts';
import { storeKind } from '../support/stores.ts';
import { codeNow, longPassword, Visitor } from '../support/visitor.ts';
import { exampleRequest } from './example-request.ts';
import { until } from './in-editor.ts';

/** What one person has, and others who know its ids: over PostgreSQL, at two replicas. */
const adminRole = 'administrators';
const service = await startTestService({ adminRole });
const replicas =
  storeKind === 'sqlite' ? [service] : [service, await startTestService({ ...service.store, adminRole })];
const make = makers(service);
const configUri = await emptySqlite(await temporaryFolder());
const source = (await make.dataSource({ configUri })).id;

/** Sends what a session sends, to a replica. */
function at(replica: TestService, { headers }: SignedIn): SignedIn['call'] {
  const origin = headers['origin'] === undefined ? {} : { origin: replica.url };
  return (method, path, what) =>
    replica.call(method, `/person/v1${path}`, { ...what, key: null, headers: { ...headers, ...origin } });
}

const codeOf = ({ body }: Answer) => (body as { code?: string } | undefined)?.code;

/** One of everything that a path can name, made as people make it. */
async function belongings(me: SignedIn, person: string) {
  const editor = await me.ok('openEditor', 'POST', `/data-source/${source}/editor`);
  const json = { commands: ["select 'private' as private"] };
  const { queryId: query } = await me.ok('executeInEditor', 'POST', `/editor/${editor.id}/query`, { json });
  await until(async () => (await me.ok('getMyQuery', 'GET', `/query/${query}`)).completedAt !== null);
  const content = { name: 'Own', description: '', text: "select 'private'", publicAccessLevel: 'none' };
  const snippet = await me.ok('createMySnippet', 'POST', '/snippet', { json: content });
  const path = `/data-source/${source}/gateway-password`;
  const password = await me.ok('createGatewayPassword', 'POST', path, { json: {} });
  const [gatewaySession] = await storeGatewaySessions(service, { person, dataSource: source });
  const { factors } = await me.ok('listMyFactors', 'GET', '/factor');
  await service.ok('POST', `/editor/${editor.id}/message`, { json: { title: 'Hello', message: 'private' } });
  return {
    ...{ query, gatewaySession, session: me.session },
    factor: factors.find(({ kind }) => kind === 'totp')!.id,
    editor: editor.id,
    tab: editor.tabs[0]!.id,
    snippet: snippet.id,
    snippetVersion: snippet.activeVersion.id,
    password: password.id,
  };
}

/** What a person sees of their own, but for times that move by themselves. */
async function everythingOf({ call }: SignedIn, mine: Awaited<ReturnType<typeof belongings>>): Promise<string> {
  const paths = [
    ...['/editor', '/query', '/session', '/factor', '/gateway-password', '/gateway-session', '/snippet', '/access'],
    ...[`/editor/${mine.editor}`, `/query/${mine.query}/result/0/rows`, `/snippet/${mine.snippet}/version`],
  ];
  const answers = [];
  for (const path of paths) {
    const { status, text } = await call('GET', path);
    assert.equal(status, 200, path);
    answers.push(text.replaceAll(/"(readAt|lastUsedAt)":"[^"]*"/g, ''));
  }
  return answers.join('\n');
}

const ada = (await make.person()).id;
await make.permission(source, ada);
const browser = new Visitor(service);
await browser.enrol(ada);
const { seed } = await browser.addTotp(longPassword);
const me = await signedIn(service, ada);
const mine = await belongings(me, ada);

async function enter(kind: 'browser' | 'command_line' = 'browser') {
  const { id } = await make.person();
  return { id, session: await signedIn(service, id, { kind }) };
}

/** Someone without access, someone who reaches the same data source, and an administrator; the first with a tool too. */
const ben = await enter();
const tool = await signedIn(service, ben.id, { kind: 'command_line' });
const dan = await enter();
await make.permission(source, dan.id);
const eve = await enter();
await service.ok('PUT', `/role/${(await make.role(adminRole)).id}/person/${eve.id}`);
const others = { 'no access': ben.session, 'a tool': tool, 'the same access': dan.session, administrator: eve.session };

const routes: readonly PersonRoute[] = Object.values(personRouteTable).filter(({ admin }) => admin !== true);
const named = routes.filter(({ ownObject, reaches }) => ownObject !== undefined || reaches === true);

/** An answer, but for what differs between any two of them: the ids in it. */
function shapeOf({ status, text, headers }: Answer, ids: readonly string[]): string {
  const plain = ids.reduce((rest, id) => rest.replaceAll(id, 'ID'), text);
  return `${status} ${headers.get('content-type')} ${plain.replaceAll(/"(requestId|instance)":"[^"]*"/g, '')}`;
}

describe('the things of another person', () => {
  it('are as if they did not exist, on every route that names one, at each replica, for everyone else', async () => {
    const before = await everythingOf(me, mine);
    const there = { ...mine, dataSource: source };
    const notThere: Record<string, string> = { query: crypto.randomUUID(), snippetVersion: crypto.randomUUID() };
    for (const name of Object.keys(there)) notThere[name] ??= newId();
    const ids = [...Object.values(there), ...Object.values(notThere)];
    let count = 0;
    for (const replica of replicas) {
      for (const [who, session] of Object.entries(others)) {
        for (const route of named) {
          // Who reaches the data source may open it.
          if (route.ownObject === undefined && session === dan.session) continue;
          const call = at(replica, session);
          const ask = async (things: Readonly<Record<string, string>>) => {
            const { path, ...what } = exampleRequest(route, things);
            return call(route.method, path, what);
          };
          const [real, absent] = [await ask(there), await ask(notThere)];
          assert.equal(shapeOf(real, ids), shapeOf(absent, ids), `${route.operationId} ${who}`);
          assert.ok(real.status === 404 || codeOf(real) === 'recent_sign_in_required', `${route.operationId} ${who}`);
          count += 2;
        }
      }
    }
    assert.ok(count >= 200, `${count} requests`);
    assert.equal(await everythingOf(me, mine), before);
  });

  it('are in no list of theirs, and no stream of events: not after a message of another person either', async () => {
    const lists = routes.filter(
      ({ method, path, sends }) => method === 'GET' && !path.includes(':') && sends === undefined,
    );
    const secrets = [...Object.values(mine), 'private'];
    for (const [who, session] of Object.entries(others)) {
      for (const { path, session: needed } of lists.filter((one) => one.session !== 'none')) {
        const { status, text } = await session.call('GET', path.replace('/person/v1', ''));
        assert.equal(status, 200, `${path} ${needed}`);
        for (const secret of secrets) assert.ok(!text.includes(secret), `${path} ${who}: ${text}`);
      }
      for (const search of ['search=private', `before=${mine.query}`]) {
        assert.equal((await session.call('GET', `/query?${search}`)).text, '[]', search);
      }
    }
    for (const after of [{}, { 'last-event-id': '0' }, { 'last-event-id': '1' }]) {
      await using events = await openEvents(replicas.at(-1)!.url, dan.session.token, after);
      await events.next('access');
      const text = JSON.stringify(events.seen);
      for (const secret of secrets) assert.ok(!text.includes(secret), text);
    }
  });

  it('are not to be had through things of their own', async () => {
    const { call, ok } = dan.session;
    const editor = (await ok('openEditor', 'POST', `/data-source/${source}/editor`)).id;
    const json = { name: 'Mine', description: '', text: 'select 1' };
    const snippet = await ok('createMySnippet', 'POST', '/snippet', { json: { ...json, publicAccessLevel: 'none' } });
    const role = (await make.role()).id;
    await service.ok('PUT', `/role/${role}/person/${ada}`);
    for (const replica of replicas) {
      const send = at(replica, dan.session);
      const tab = `/editor/${editor}/tab/${mine.tab}`;
      assert.equal((await send('GET', tab)).status, 404);
      assert.equal((await send('POST', tab, { json: { text: 'mine', version: 1 } })).status, 404);
      assert.equal((await send('DELETE', tab)).status, 404);
      const run = { commands: ['select 1'], tab: mine.tab };
      assert.equal((await send('POST', `/editor/${editor}/query`, { json: run })).status, 404);
      assert.equal((await send('POST', `/snippet/${snippet.id}/version/${mine.snippetVersion}`)).status, 404);
      const give = (ownerRoleId: string) => send('POST', `/snippet/${snippet.id}`, { json: { ownerRoleId } });
      const [real, absent] = [await give(role), await give(newId())];
      assert.equal(real.status, 422);
      assert.equal(shapeOf(real, [role]), shapeOf(absent, [role]));
    }
    await call('DELETE', `/editor/${editor}`);
  });

  it('do not let them in: the password, the setup of an app, the token of a page and the code of a tool', async () => {
    const dans = new Visitor(replicas.at(-1)!);
    await dans.enrol(dan.id);
    const { setup, secret } = await browser.ok<TotpSetup>('POST', '/totp-setup');
    const totp = { setup, code: codeNow(secret) };
    assert.equal(await dans.refused('POST', '/factor', { totp }), 'invalid_fields');
    await dans.addTotp(longPassword.toUpperCase());
    const proofs = { password: longPassword, code: codeNow(seed, 1) };
    assert.equal(await dans.refused('POST', '/prove/password', proofs), 'sign_in_refused');
    const stolen = await dans.send('POST', '/sign-out', undefined, { 'rolecall-csrf': me.headers['rolecall-csrf']! });
    assert.equal(codeOf(stolen), 'cross_site_request');
    const login = await browser.ok<PersonAnswerOf<'requestLogin'>>('POST', '/login', { tool: 'psql' });
    await browser.ok('POST', `/login/${login.code}/confirm`);
    for (const path of [`/login/${login.code}`, `/login/${login.code}/confirm`]) {
      const method = path.endsWith('confirm') ? 'POST' : 'GET';
      assert.equal(codeOf(await dans.send(method, path)), 'sign_in_refused');
    }
    const done = await browser.ok<PersonAnswerOf<'redeemLogin'>>('POST', '/login-redemption', { secret: login.secret });
    assert.equal(done.person?.id, ada);
  });
});
