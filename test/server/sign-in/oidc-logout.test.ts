import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { after, describe, it } from 'node:test';
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose';
import { until } from '../person-api/in-editor.ts';
import { makers } from '../support/make.ts';
import { Browser, clientId, OpenIdProvider } from '../support/openid-provider.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';

const company = await OpenIdProvider.start();
const logged: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    logged.push(String(chunk));
    done();
  },
});
const service = await startTestService({ oidc: [company.settings('company')], logger: { level: 'warn', stream } });
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

async function post(token: string | undefined, more: Record<string, string> = {}) {
  const answer = await service.call('POST', '/person/v1/sign-in/oidc/company/back-channel-logout', {
    key: null,
    form: { ...(token === undefined ? {} : { logout_token: token }), ...more },
  });
  return { status: answer.status, text: answer.text };
}

function claims(more: JWTPayload = {}): JWTPayload {
  const now = Math.floor(Date.now() / 1000);
  const rest = { jti: crypto.randomUUID(), iat: now, exp: now + 120, events: { [logoutEvent]: {} } };
  return { iss: company.issuer, aud: clientId, ...rest, ...more };
}

/** Anyone can send a token. */
after(() => {
  const lines = logged.map(
    (line) => JSON.parse(line) as { level: number; msg: string; reason?: string; err?: unknown },
  );
  assert.ok(lines.some(({ msg }) => /^the logout token is refused/.test(msg)));
  for (const line of lines) assert.deepEqual([line.level, line.err], [40, undefined], JSON.stringify(line));
});

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
    await until(async () => !(await isIn(browser)));
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

  it('may have the type of a logout token or none, several audiences, no end, and other fields beside it', async () => {
    for (const header of [{}, { typ: 'JWT' }, { typ: 'logout+jwt' }, { typ: 'application/Logout+JWT' }]) {
      const { status, text } = await post(await company.sign(claims({ sid: 's' }), undefined, header));
      assert.equal(status, 200, text);
    }
    const { exp: _exp, ...endless } = claims({ sid: 's', aud: ['another', clientId] });
    assert.equal((await post(await company.sign(endless), { iss: company.issuer })).status, 200);
  });

  const now = Math.floor(Date.now() / 1000);
  const notOne = /it is not a logout token/;
  const wrong: Record<string, [JWTPayload, RegExp]> = {
    'another issuer': [{ sid: 's', iss: 'https://evil.example' }, /\\"iss\\"/],
    'another audience': [{ sid: 's', aud: 'another' }, /\\"aud\\"/],
    'other audiences': [{ sid: 's', aud: ['another', `${clientId} `] }, /\\"aud\\"/],
    'no audience': [{ sid: 's', aud: undefined as never }, /\\"aud\\"/],
    'no event': [{ sid: 's', events: {} }, notOne],
    'an event that is a list': [{ sid: 's', events: [logoutEvent] }, notOne],
    'an event that is no object': [{ sid: 's', events: { [logoutEvent]: 'yes' } }, notOne],
    'a nonce, as an ID token has': [{ sid: 's', nonce: 'n' }, notOne],
    'a nonce that is null': [{ sid: 's', nonce: null }, notOne],
    'neither session nor subject': [{}, notOne],
    'a session that no store can hold': [{ sid: 'a\0b' }, notOne],
    'no identifier': [{ sid: 's', jti: undefined as never }, notOne],
    'an old time': [{ sid: 's', iat: now - 3600, exp: now + 3600 }, /\\"iat\\"/],
    'a time to come': [{ sid: 's', iat: now + 600, exp: now + 3600 }, /\\"iat\\"/],
    'no time': [{ sid: 's', iat: undefined as never }, /\\"iat\\"/],
    'an end in the past': [{ sid: 's', exp: now - 60 }, /\\"exp\\"/],
  };
  for (const [what, [more, why]] of Object.entries(wrong)) {
    it(`is refused with ${what}`, async () => {
      const { status, text } = await post(await company.sign(claims(more)));
      assert.equal(status, 400, text);
      assert.match(text, /logout_token_refused/);
      assert.match(text, why);
    });
  }

  it('is refused where it is another kind of token', async () => {
    for (const typ of ['at+jwt', 'secevent+jwt', 'logout']) {
      const { status, text } = await post(await company.sign(claims({ sid: 's' }), undefined, { typ }));
      assert.equal(status, 400, text);
      assert.match(text, /\\"typ\\"/);
    }
  });

  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const hmac = (secret: Buffer) => new SignJWT(claims({ sid: 's' })).setProtectedHeader({ alg: 'HS256' }).sign(secret);
  const unsigned: Record<string, () => string | undefined | Promise<string>> = {
    'no signature': () => `${part({ alg: 'none' })}.${part(claims({ sid: 's' }))}.`,
    'an HMAC with the public key': () => hmac(Buffer.from(company.publicModulus, 'base64url')),
    'an HMAC with the secret of the client': () => hmac(Buffer.from(company.settings('x').clientSecret)),
    'a key of its own in its head': async () => {
      const { privateKey, publicKey } = await generateKeyPair('RS256');
      const header = { alg: 'RS256', jwk: await exportJWK(publicKey), jku: 'https://evil.example/jwks' };
      return new SignJWT(claims({ sid: 's' })).setProtectedHeader(header).sign(privateKey);
    },
    encryption: () => `${part({ alg: 'dir', enc: 'A256GCM' })}.AA.AA.AA.AA`,
    'nothing of a token': () => 'token',
    'no letter': () => '',
    'no token at all': () => undefined,
  };
  for (const [what, token] of Object.entries(unsigned)) {
    it(`is refused with ${what}`, async () => {
      const { status, text } = await post(await token());
      assert.equal(status, 400, text);
      assert.match(text, /logout_token_refused/);
    });
  }

  it('is refused with the signature of someone else, and bounded in size', async () => {
    const [head, body] = (await company.sign(claims({ sid: 's' }))).split('.');
    assert.equal((await post(`${head}.${body}.${Buffer.alloc(256, 1).toString('base64url')}`)).status, 400);
    assert.equal((await post('a'.repeat(20_000))).status, 413);
  });

  it('is taken with a key that the provider has only just made, which is looked for once in a while', async () => {
    const person = await make.person();
    const sub = crypto.randomUUID();
    const browser = await signIn(sub, person.email);
    await company.rotateKeys();
    assert.equal((await post(await company.sign(claims({ sub })))).status, 200);
    assert.equal(await isIn(browser), false);
    await company.rotateKeys();
    assert.match((await post(await company.sign(claims({ sub })))).text, /no applicable key/);
  });

  it('writes one error into the log while the provider is away, however many tokens anyone sends', async () => {
    const away = await OpenIdProvider.start();
    const lines: { level: number; msg: string }[] = [];
    const own = await startTestService({
      oidc: [away.settings('away')],
      logger: { level: 'warn', stream: { write: (line: string) => lines.push(JSON.parse(line) as (typeof lines)[0]) } },
    });
    away.stop();
    for (let count = 0; count < 5; count += 1) {
      const path = '/person/v1/sign-in/oidc/away/back-channel-logout';
      const answer = await own.call('POST', path, {
        key: null,
        form: { logout_token: part({ alg: 'RS256' }) + '.e30.AA' },
      });
      assert.equal(answer.status, 503, answer.text);
    }
    assert.deepEqual(
      lines.map(({ level }) => level),
      [50, 40, 40, 40, 40],
    );
  });
});
