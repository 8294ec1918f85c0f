import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JWTPayload } from 'jose';
import { makers } from '../support/make.ts';
import { Browser, clientId, OpenIdProvider } from '../support/openid-provider.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const company = await OpenIdProvider.start();
const service = await startTestService({ oidc: [company.settings('company')] });
const make = makers(service);
const base = `${service.url}/person/v1/sign-in/oidc/company`;
const logoutUri = `${base}/back-channel-logout`;
await company.register(`${base}/callback`, logoutUri);

const logoutEvent = 'http://schemas.openid.net/event/backchannel-logout';

async function signIn(subject: string, email: string): Promise<Browser> {
  company.subject = subject;
  company.accounts.set(subject, { email, email_verified: true });
  const browser = new Browser();
  await browser.follow(base, (next) => !next.startsWith(company.issuer) && !next.startsWith(base));
  return browser;
}

const isIn = async (browser: Browser) => (await browser.get(`${service.url}/person/v1/me`)).status === 200;

async function post(token: string) {
  const answer = await service.call('POST', '/person/v1/sign-in/oidc/company/back-channel-logout', {
    key: null,
    form: { logout_token: token },
  });
  return { status: answer.status, text: answer.text };
}

function claims(more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const rest = { jti: crypto.randomUUID(), iat: now, exp: now + 120, events: { [logoutEvent]: {} } };
  return { iss: company.issuer, aud: clientId, ...rest, ...more };
}

describe('a logout at the OpenID provider', () => {
  it('ends the sessions that came from it, and no other of the person', async () => {
    const person = await make.person();
    const browser = await signIn(crypto.randomUUID(), person.email);
    const other = await signedIn(service, person.id);
    assert.equal(await isIn(browser), true);
    const page = await (await browser.get(`${company.issuer}/session/end`)).text();
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page)![1]!;
    await browser.send(`${company.issuer}/session/end/confirm`, {
      method: 'POST',
      body: new URLSearchParams({ xsrf, logout: 'yes' }).toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    for (let tries = 0; tries < 50 && (await isIn(browser)); tries += 1)
      await new Promise((resolve) => setTimeout(resolve, 20));
    assert.equal(await isIn(browser), false);
    assert.equal((await other.call('GET', '/me')).status, 200);
  });

  it('of all sessions of a person ends all that they have here', async () => {
    const person = await make.person();
    const sub = crypto.randomUUID();
    const browser = await signIn(sub, person.email);
    const other = await signedIn(service, person.id, { kind: 'command_line' });
    const { status, text } = await post(await company.sign(claims({ sub })));
    assert.equal(status, 200, text);
    assert.equal(await isIn(browser), false);
    assert.equal((await other.call('GET', '/me')).status, 401);
  });

  it('of one session ends those too that came from it without a session of its own, and no other of the person', async () => {
    const [person, ben] = [await make.person(), await make.person()];
    const [sub, bens] = [crypto.randomUUID(), crypto.randomUUID()];
    company.forge = ({ sid: _sid, ...rest }, sign) => sign(rest);
    const [nameless, other] = [await signIn(sub, person.email), await signIn(bens, ben.email)];
    company.forge = undefined;
    const [named, password] = [await signIn(sub, person.email), await signedIn(service, person.id)];
    assert.equal((await post(await company.sign(claims({ sid: 'another' })))).status, 200);
    assert.equal(await isIn(nameless), true);
    assert.equal((await post(await company.sign(claims({ sid: 'another', sub })))).status, 200);
    assert.equal(await isIn(nameless), false);
    assert.equal(await isIn(other), true);
    assert.equal(await isIn(named), true);
    assert.equal((await password.call('GET', '/me')).status, 200);
  });

  it('is taken once', async () => {
    const token = await company.sign(claims({ sid: 'none' }));
    assert.equal((await post(token)).status, 200);
    const again = await post(token);
    assert.equal(again.status, 400);
    assert.match(again.text, /used before/);
  });

  const now = Math.floor(Date.now() / 1000);
  const wrong: Record<string, JWTPayload> = {
    'another issuer': { sid: 's', iss: 'https://evil.example' },
    'another audience': { sid: 's', aud: 'another' },
    'no event': { sid: 's', events: {} },
    'a nonce, as an ID token has': { sid: 's', nonce: 'n' },
    'neither session nor subject': {},
    'no identifier': { sid: 's', jti: undefined as never },
    'an old time': { sid: 's', iat: now - 3600, exp: now + 3600 },
    'no time': { sid: 's', iat: undefined as never },
    'an end in the past': { sid: 's', exp: now - 60 },
  };
  for (const [what, more] of Object.entries(wrong)) {
    it(`is refused with ${what}`, async () => {
      const { status, text } = await post(await company.sign(claims(more)));
      assert.equal(status, 400, text);
      assert.match(text, /logout_token_refused/);
    });
  }

  it('is refused with the signature of someone else, and bounded in size', async () => {
    const [head, body] = (await company.sign(claims({ sid: 's' }))).split('.');
    assert.equal((await post(`${head}.${body}.${Buffer.alloc(256, 1).toString('base64url')}`)).status, 400);
    assert.equal((await post('a'.repeat(20_000))).status, 413);
  });
});
