import assert from 'node:assert/strict';
import { Writable } from 'node:stream';
import { describe, it } from 'node:test';
import type { SignInError } from '@rolecall/api';
import { generateKeyPair, SignJWT } from 'jose';
import { withData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { type Account, Browser, type Forge, OpenIdProvider } from '../support/openid-provider.ts';
import { startTestService } from '../support/service.ts';

const [company, partner] = [await OpenIdProvider.start(), await OpenIdProvider.start()];
const logged: string[] = [];
const stream = new Writable({
  write: (chunk, _encoding, done) => {
    logged.push(String(chunk));
    done();
  },
});
const service = await startTestService({
  logger: { level: 'warn', stream },
  oidc: [
    company.settings('company'),
    partner.settings('partner'),
    { ...company.settings('staff', { claims: { groups: ['dba'] }, scopes: ['openid', 'extra'], bindByEmail: false }) },
  ],
});
const make = makers(service);
const base = `${service.url}/person/v1/sign-in/oidc`;
const callbackOf = (issuer: string) => `${base}/${issuer}/callback`;
await company.register(callbackOf('company'));
await partner.register(callbackOf('partner'));

/** A person here, and their account at a provider. */
async function member(provider = company, claims: object = {}) {
  const person = await make.person();
  const subject = crypto.randomUUID();
  provider.accounts.set(subject, { email: person.email.toUpperCase(), email_verified: true, ...claims });
  provider.subject = subject;
  return { person, subject };
}

/** Goes to the provider and back, up to the address of the callback. */
async function returned(browser: Browser, issuer = 'company', search = ''): Promise<string> {
  return browser.follow(`${base}/${issuer}${search}`, (next) => next.startsWith(callbackOf(issuer)));
}

async function signIn(browser = new Browser(), issuer = 'company', search = ''): Promise<Response> {
  return browser.get(await returned(browser, issuer, search));
}

async function whoIs(browser: Browser): Promise<string | undefined> {
  const me = await browser.get(`${service.url}/person/v1/me`);
  return me.status === 200 ? ((await me.json()) as { person: { id: string } }).person.id : undefined;
}

/** The browser is led to the page with the code, and nothing else; the log says why. */
async function refused(response: Response, code: SignInError, why: RegExp): Promise<void> {
  assert.equal(response.status, 303, await response.text());
  assert.equal(response.headers.get('location'), `${service.url}/sign-in?error=${code}`);
  const { msg, level, err } = JSON.parse(logged.at(-1) ?? '{}') as { msg?: string; level?: number; err?: unknown };
  assert.match(msg ?? '', why);
  assert.deepEqual([level, err], [40, undefined], 'a warning without a stack');
}

describe('a sign-in with an OpenID provider', () => {
  it('opens a session for the person with the verified address, and knows the account from then on', async () => {
    const { person, subject } = await member();
    const browser = new Browser();
    const response = await signIn(browser, 'company', '?returnTo=/access?of=me');
    assert.equal(response.status, 303);
    assert.equal(response.headers.get('location'), `${service.url}/access?of=me`);
    assert.equal(await whoIs(browser), person.id);
    company.accounts.set(subject, { email: 'other@example.com', email_verified: false });
    const again = new Browser();
    assert.equal((await signIn(again)).status, 303);
    assert.equal(await whoIs(again), person.id);
  });

  it('ends the session whose cookie it replaces', async () => {
    const { person } = await member();
    const browser = new Browser();
    assert.equal((await signIn(browser)).status, 303);
    const before = browser.cookie(base, 'rolecall');
    const isIn = async () => {
      const answer = await fetch(`${service.url}/person/v1/me`, { headers: { cookie: `rolecall=${before}` } });
      return answer.status === 200;
    };
    assert.equal(await isIn(), true);
    assert.equal((await signIn(browser)).status, 303);
    assert.equal(await whoIs(browser), person.id);
    assert.equal(await isIn(), false);
  });

  it('is offered to browsers without a session', async () => {
    const issuers = ['company', 'partner', 'staff'].map((id) => ({ id, name: id }));
    const options: unknown = await (await fetch(`${service.url}/person/v1/sign-in`)).json();
    // The service of the test has only an address, to which no passkey can be bound.
    assert.deepEqual(options, { password: true, passkeys: false, issuers });
    assert.equal((await fetch(`${base}/nobody`)).status, 404);
  });

  it('begins on the page, or where the person types the address, and not by a link of another site', async () => {
    await member();
    const begin = async (site: string): Promise<Response> =>
      new Browser().send(`${base}/company`, { headers: { 'sec-fetch-site': site, 'sec-fetch-mode': 'navigate' } });
    for (const site of ['cross-site', 'same-site']) {
      const answer = await begin(site);
      assert.deepEqual(answer.headers.getSetCookie(), [], site);
      await refused(answer, 'other_site', /not begun on the page/);
    }
    for (const site of ['same-origin', 'none']) {
      assert.match((await begin(site)).headers.get('location') ?? '', /client_id=/, site);
    }
  });

  it('leads to no other host afterwards', async () => {
    for (const path of [
      '//evil.example',
      '/\\evil.example',
      'https://evil.example',
      '/%09/evil.example%0d',
      '/\t/evil.example',
      'evil',
    ]) {
      const answer = await fetch(`${base}/company?returnTo=${encodeURIComponent(path)}`, { redirect: 'manual' });
      const location = answer.headers.get('location');
      // What is not refused is a path of our own, whatever a browser makes of it.
      if (location !== null) assert.equal(new URL(path, service.url).origin, service.url, path);
      else assert.equal(answer.status, 400, path);
    }
  });

  it('is refused where the address is not verified, is of no one here, or is that of a locked person', async () => {
    await member(company, { email_verified: false });
    await refused(await signIn(), 'unknown_person', /does not give a verified e-mail address/);
    await member(company, { email: 'nobody@example.com' });
    await refused(await signIn(), 'unknown_person', /no person here has the e-mail address/);
    const { person } = await member();
    await service.ok('PUT', `/person/${person.id}/lock`);
    await refused(await signIn(), 'locked', /your account here is locked/);
  });

  const halves: Record<string, (victim: string, attacker: string) => [token: object, userinfo: Account]> = {
    'of the ID token with the verification in userinfo': (victim, attacker) => [
      { email: victim },
      { email: attacker, email_verified: true },
    ],
    'of the ID token with a verification in userinfo that names no address': (victim) => [
      { email: victim },
      { email_verified: true },
    ],
    'of userinfo with the verification in the ID token': (victim) => [{ email_verified: true }, { email: victim }],
    'of the ID token, which says that it is not verified': (victim, attacker) => [
      { email: victim, email_verified: false },
      { email: attacker, email_verified: true },
    ],
    'of userinfo, which says that it is not verified': (victim, attacker) => [
      { email: attacker },
      { email: victim, email_verified: false },
    ],
  };
  for (const [what, documents] of Object.entries(halves)) {
    it(`does not bind the address ${what}`, async () => {
      const victim = await make.person();
      company.subject = crypto.randomUUID();
      const [token, userinfo] = documents(victim.email, `attacker.${crypto.randomUUID()}@example.com`);
      company.accounts.set(company.subject, userinfo);
      company.forge = (claims, sign) => sign({ ...claims, ...token });
      try {
        await refused(
          await signIn(),
          'unknown_person',
          /verified e-mail address|no person here has the e-mail address/,
        );
      } finally {
        company.forge = undefined;
      }
    });
  }

  it('binds the address for which one document vouches, whatever half of one the other has', async () => {
    const ways: ((email: string) => [object, Account])[] = [
      (email) => [
        { email, email_verified: true },
        { email: 'other@example.com', email_verified: true },
      ],
      (email) => [{ email: 'other@example.com' }, { email, email_verified: true }],
      (email) => [{ email_verified: false }, { email, email_verified: true }],
      (email) => [{ email }, { email, email_verified: true }],
    ];
    for (const documents of ways) {
      const person = await make.person();
      company.subject = crypto.randomUUID();
      const [token, userinfo] = documents(person.email);
      company.accounts.set(company.subject, userinfo);
      company.forge = (claims, sign) => sign({ ...claims, ...token });
      const browser = new Browser();
      try {
        assert.equal((await signIn(browser)).status, 303);
      } finally {
        company.forge = undefined;
      }
      assert.equal(await whoIs(browser), person.id);
    }
  });

  it('does not take an address in letters that fold to those of another one', async () => {
    const person = await make.person({ email: `kim.${crypto.randomUUID()}@example.com` });
    company.subject = crypto.randomUUID();
    company.accounts.set(company.subject, { email: person.email.replace('kim', '\u212Aim'), email_verified: true });
    await refused(await signIn(), 'unknown_person', /no person here has the e-mail address/);
  });

  it('is refused for an address that a second provider or a second account gives', async () => {
    const { person } = await member();
    assert.equal((await signIn()).status, 303);
    partner.subject = crypto.randomUUID();
    partner.accounts.set(partner.subject, { email: person.email, email_verified: true });
    await refused(await signIn(new Browser(), 'partner'), 'other_account', /signs in with another account, of company/);
    company.subject = crypto.randomUUID();
    company.accounts.set(company.subject, { email: person.email, email_verified: true });
    await refused(await signIn(), 'other_account', /signs in with another account, of company/);
  });

  it('is refused where the binding was moved to another person in the database', async () => {
    const [{ subject }, ben] = [await member(), await make.person()];
    assert.equal((await signIn()).status, 303);
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        await db
          .updateTable('sign_in_factor')
          .set({ person_id: ben.id })
          .where('lookup', '=', `oidc ${company.issuer} ${subject}`)
          .execute();
      }),
    );
    await refused(await signIn(), 'altered', /changed in the database/);
  });

  it('works once for each callback, and only in the browser that began it', async () => {
    await member();
    const browser = new Browser();
    const address = await returned(browser);
    await refused(await new Browser().get(address), 'other_browser', /not begun in this browser/);
    const busy = new Browser();
    await returned(busy);
    await refused(await busy.get(address), 'provider_failed', /state/);
    const cookie = browser.cookie(base, 'rolecall-sign-in');
    assert.equal((await browser.get(address)).status, 303);
    await refused(await browser.get(address), 'other_browser', /not begun in this browser/);
    const planted = await fetch(address, { headers: { cookie: `rolecall-sign-in=${cookie}` }, redirect: 'manual' });
    await refused(planted, 'provider_failed', /invalid_grant/);
  });

  it('is ended once by the service too, where a provider takes a code twice', async () => {
    await member();
    const browser = new Browser();
    const address = await returned(browser);
    const headers = { cookie: `rolecall-sign-in=${browser.cookie(base, 'rolecall-sign-in')}` };
    assert.equal((await fetch(address, { headers, redirect: 'manual' })).status, 303);
    company.isRepeating = true;
    try {
      await refused(await fetch(address, { headers, redirect: 'manual' }), 'used', /this sign-in was ended before/);
    } finally {
      company.isRepeating = false;
    }
  });

  it('is refused with a wrong state, an unknown error of the provider, or a code of another sign-in', async () => {
    await member();
    const browser = new Browser();
    const address = new URL(await returned(browser));
    address.searchParams.set('state', 'guessed');
    await refused(await browser.get(address.href), 'provider_failed', /state/);
    await returned(browser);
    const state = new URL(await returned(browser)).searchParams.get('state');
    await refused(
      await browser.get(`${callbackOf('company')}?error=access_denied&state=${state}&iss=${company.issuer}`),
      'cancelled',
      /access_denied/,
    );
    const other = new URL(await returned(new Browser())).searchParams.get('code');
    const own = new URL(await returned(browser));
    own.searchParams.set('code', other!);
    await refused(await browser.get(own.href), 'provider_failed', /invalid_grant/);
  });

  it('is refused where another provider answers (mix-up)', async () => {
    await member();
    await member(partner);
    const browser = new Browser();
    const begun = new URL(await returned(browser));
    begun.searchParams.set('iss', partner.issuer);
    await refused(await browser.get(begun.href), 'provider_failed', /iss/);
    const crossed = new URL(await returned(browser));
    await refused(
      await browser.get(`${callbackOf('partner')}${crossed.search}`),
      'other_browser',
      /not begun in this browser/,
    );
  });

  const hour = 3600;
  const forgeries: Record<string, Forge> = {
    'another issuer': (claims, sign) => sign({ ...claims, iss: 'https://evil.example' }),
    'another audience': (claims, sign) => sign({ ...claims, aud: 'another' }),
    'another client for which it was made': (claims, sign) => sign({ ...claims, azp: 'another' }),
    'another nonce': (claims, sign) => sign({ ...claims, nonce: 'another' }),
    'no nonce': ({ nonce: _nonce, ...claims }, sign) => sign(claims),
    'an end in the past': (claims, sign) => sign({ ...claims, iat: claims.iat! - hour, exp: claims.iat! - 60 }),
    'a session that no store can hold': (claims, sign) => sign({ ...claims, sid: 'a\0b' }),
    'a beginning in the future': (claims, sign) => sign({ ...claims, nbf: claims.iat! + 60 }),
    'the key of somebody else': async (claims, sign) => sign(claims, (await generateKeyPair('RS256')).privateKey),
    'a key that the provider does not name': async (claims) => {
      const { privateKey } = await generateKeyPair('RS256');
      return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: 'unknown' }).sign(privateKey);
    },
    'no signature': (claims) => {
      const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
      return Promise.resolve(`${part({ alg: 'none' })}.${part(claims)}.`);
    },
    'an HMAC with the public key': (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(company.publicModulus, 'base64url')),
    'an HMAC with the secret of the client': (claims) =>
      new SignJWT(claims).setProtectedHeader({ alg: 'HS256' }).sign(Buffer.from(company.settings('x').clientSecret)),
  };
  for (const [what, forge] of Object.entries(forgeries)) {
    it(`is refused with an ID token that has ${what}`, async () => {
      await member();
      company.forge = forge;
      const browser = new Browser();
      try {
        await refused(await signIn(browser), 'provider_failed', /company did not sign you in: /);
      } finally {
        company.forge = undefined;
      }
      assert.equal(await whoIs(browser), undefined);
    });
  }

  it('works with clocks that are five minutes apart', async () => {
    for (const off of [-300, 300]) {
      const { person } = await member();
      company.forge = (claims, sign) => sign({ ...claims, iat: claims.iat! + off, exp: claims.exp! + off });
      const browser = new Browser();
      assert.equal((await signIn(browser)).status, 303);
      assert.equal(await whoIs(browser), person.id);
    }
    company.forge = undefined;
  });

  it('follows the keys of the provider', async () => {
    await member();
    assert.equal((await signIn()).status, 303);
    await company.rotateKeys();
    await member();
    assert.equal((await signIn()).status, 303);
  });

  it('keeps out people without the claims that must hold', async () => {
    const { person, subject } = await member(company, { groups: ['sales'] });
    await company.register(callbackOf('staff'));
    await refused(await signIn(new Browser(), 'staff'), 'not_allowed', /its claim groups is not one of those/);
    company.accounts.set(subject, { email: person.email, email_verified: true, groups: ['sales', 'dba'] });
    await refused(await signIn(new Browser(), 'staff'), 'unknown_person', /e-mail addresses do not bind one/);
    await company.register(callbackOf('company'));
  });

  it('keeps out people whose address must be of a list, and is not verified', async () => {
    const { person, subject } = await member(company, { groups: ['dba'] });
    const rule = { claims: { email: [person.email] }, scopes: ['openid', 'email'] };
    const strict = await startTestService({ oidc: [company.settings('strict', rule)] });
    const own = `${strict.url}/person/v1/sign-in/oidc/strict`;
    await company.register(`${own}/callback`);
    const isIn = async (claims: Account): Promise<string | null> => {
      company.accounts.set(subject, claims);
      const browser = new Browser();
      const address = await browser.follow(own, (next) => next.startsWith(`${own}/callback`));
      return (await browser.get(address)).headers.get('location');
    };
    const notAllowed = `${strict.url}/sign-in?error=not_allowed`;
    assert.equal(await isIn({ email: person.email, email_verified: false }), notAllowed);
    assert.notEqual(await isIn({ email: person.email, email_verified: true }), notAllowed);
    await company.register(callbackOf('company'));
  });

  it('says that the provider is down, and keeps those in who are in', async () => {
    const { person } = await member(partner);
    const browser = new Browser();
    assert.equal((await signIn(browser, 'partner')).status, 303);
    const begun = await returned(browser, 'partner');
    partner.stop();
    const response = await browser.get(begun);
    await refused(response, 'provider_unavailable', /partner cannot be reached/);
    assert.equal(await whoIs(browser), person.id);
  });
});
