import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { PersonAnswerOf } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { assertProblem } from '../support/match.ts';
import { type SignedIn, signedIn } from '../support/person.ts';
import { type Answer, startTestService, type TestService } from '../support/service.ts';

const service = await startTestService();
const make = makers(service);

type Login = PersonAnswerOf<'requestLogin'>;
type ToolSession = PersonAnswerOf<'redeemLogin'>;

const post = (path: string, json: unknown) => service.call('POST', `/person/v1${path}`, { key: null, json });
const begin = async (port?: number) => (await post('/login', { tool: 'rolecall on laptop', port })).body as Login;
const redeem = (secret: string, confirmation?: string) => post('/login-redemption', { secret, confirmation });
const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;

async function confirmedBy({ ok }: SignedIn, { code }: Login): Promise<string | undefined> {
  const { redirect } = await ok('confirmLogin', 'POST', `/login/${code}/confirm`);
  return redirect === null ? undefined : (new URL(redirect).searchParams.get('confirmation') ?? undefined);
}

describe('the sign-in of a tool', () => {
  it('gives it a session of the person who confirms its code, once', async () => {
    const ada = await make.person();
    const browser = await signedIn(service, ada.id);
    const login = await begin();
    assert.equal(((await redeem(login.secret)).body as ToolSession).state, 'waiting');
    const waiting = await browser.ok('getLogin', 'GET', `/login/${login.code}`);
    assert.equal(waiting.tool, 'rolecall on laptop');
    assert.equal(await confirmedBy(browser, login), undefined);
    const { state, token, person } = (await redeem(login.secret)).body as ToolSession;
    assert.deepEqual([state, person?.id], ['done', ada.id]);
    const headers = { authorization: `Bearer ${token ?? ''}` };
    assert.equal((await service.call('GET', '/person/v1/access', { key: null, headers })).status, 200);
    assert.equal(codeOf(await redeem(login.secret)), 'sign_in_refused');
    assert.equal(codeOf(await browser.call('GET', `/login/${login.code}`)), 'sign_in_refused');
  });

  it('with a port gives it only to who brings what the browser was sent with', async () => {
    const browser = await signedIn(service, (await make.person()).id);
    const login = await begin(49_152);
    const confirmation = await confirmedBy(browser, login);
    assert.equal(codeOf(await redeem(login.secret)), 'sign_in_refused');
    assert.equal(codeOf(await redeem(login.secret, login.secret)), 'sign_in_refused');
    assert.equal(((await redeem(login.secret, confirmation)).body as ToolSession).state, 'done');
  });

  it('cannot be confirmed without a whole session, nor by a page of another site', async () => {
    const ada = await make.person();
    const login = await begin();
    const pending = await signedIn(service, ada.id, { state: 'pending' });
    assert.equal(codeOf(await pending.call('POST', `/login/${login.code}/confirm`)), 'second_factor_required');
    const browser = await signedIn(service, ada.id);
    const headers = { origin: 'https://evil.example' };
    assert.equal(codeOf(await browser.call('POST', `/login/${login.code}/confirm`, { headers })), 'cross_site_request');
    assert.equal(((await redeem(login.secret)).body as ToolSession).state, 'waiting');
  });

  it('gives nothing for a person who was locked after they confirmed', async () => {
    const ada = await make.person();
    const login = await begin();
    await confirmedBy(await signedIn(service, ada.id), login);
    await service.ok('PUT', `/person/${ada.id}/lock`);
    assert.equal(codeOf(await redeem(login.secret)), 'sign_in_refused');
  });

  it('gives nothing where the session that confirmed it has ended since', async () => {
    const ada = await make.person();
    const login = await begin();
    const browser = await signedIn(service, ada.id);
    await confirmedBy(browser, login);
    await service.ok('DELETE', `/session/${browser.session}`);
    assert.equal(codeOf(await redeem(login.secret)), 'sign_in_refused');
  });

  it('ends with the session that confirmed it, so that none is renewed without a new proof', async () => {
    const until = new Date(Date.now() + 60_000).toISOString();
    const browser = await signedIn(service, (await make.person()).id, { until });
    const login = await begin();
    await confirmedBy(browser, login);
    assert.equal(((await redeem(login.secret)).body as ToolSession).expiresAt, until);
  });

  it('cannot be confirmed by another tool, whose end would not end it', async () => {
    const tool = await signedIn(service, (await make.person()).id, { kind: 'command_line' });
    const login = await begin();
    assert.equal(codeOf(await tool.call('POST', `/login/${login.code}/confirm`)), 'sign_in_refused');
    assert.equal(((await redeem(login.secret)).body as ToolSession).state, 'waiting');
  });

  it('slows down who tries many codes', async () => {
    const { call } = await signedIn(service, (await make.person()).id);
    const statuses = [];
    for (let tries = 0; tries < 12; tries += 1) statuses.push((await call('GET', '/login/BCDF-GHJK')).status);
    assert.deepEqual([statuses[0], statuses.at(-1)], [403, 429]);
  });
});

describe('tools that ask to be signed in', () => {
  it('say what they are in characters that can be seen: another would turn the address beside them around', async () => {
    assert.equal(codeOf(await post('/login', { tool: 'rolecall\u202e' })), 'invalid_fields');
  });

  const ask = (own: TestService) => own.call('POST', '/person/v1/login', { key: null, json: { tool: 'x' } });

  it('are a hundred of one network, at once', async () => {
    const own = await startTestService();
    const answers: Answer[] = [];
    // So few at a time that none is refused because the machine is busy.
    while (answers.length < 120) answers.push(...(await Promise.all(Array.from({ length: 40 }, () => ask(own)))));
    const refused = answers.filter(({ status }) => status !== 200);
    // Another may come every six seconds.
    assert.ok(refused.length > 0 && refused.length <= 20, `${refused.length} were refused`);
    for (const answer of refused) assertProblem(answer, 429, 'too_many_requests');
  });

  it('are 10,000 in all', async () => {
    const own = await startTestService();
    const at = new Date();
    await withData(own.store, ({ store }) =>
      store.write([], async ({ db }) => {
        for (let count = 0; count < 10_000; count += 1000) {
          const tokens = Array.from({ length: 1000 }, (_, index) => ({
            id: `t${count + index}`,
            kind: 'login',
            token_hash: randomBytes(32),
            person_id: null,
            sealed: randomBytes(32),
            lookup: `login ${count + index}`,
            created_at: at.toISOString(),
            expires_at: new Date(at.getTime() + 600_000).toISOString(),
          }));
          await db.insertInto('one_time_token').values(tokens).execute();
        }
      }),
    );
    assertProblem(await ask(own), 503, 'unavailable');
  });
});
