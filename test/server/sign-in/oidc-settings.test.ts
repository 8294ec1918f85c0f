import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Me } from '@rolecall/api';
import { parseOidc } from '@rolecall/server';
import type { JWTPayload } from 'jose';
import { makers } from '../support/make.ts';
import { Browser, OpenIdProvider } from '../support/openid-provider.ts';
import { startTestService } from '../support/service.ts';
import { longPassword, Visitor } from '../support/visitor.ts';

const provider = await OpenIdProvider.start();
const factors = {
  'by-amr': { amr: ['mfa', 'hwk'] },
  'by-acr': { acr: ['urn:two', 'urn:three'] },
  'by-both': { amr: ['mfa'], acr: ['urn:two'] },
  always: true,
  never: false,
};
const service = await startTestService({
  oidc: [
    ...Object.entries(factors).map(([id, twoFactor]) => provider.settings(id, { twoFactor })),
    provider.settings('post', { clientAuthentication: 'client_secret_post' }),
    provider.settings('basic', { clientAuthentication: 'client_secret_basic' }),
  ],
});
const base = `${service.url}/person/v1/sign-in/oidc`;
await provider.register([...Object.keys(factors), 'post', 'basic'].map((id) => `${base}/${id}/callback`));
const make = makers(service);

/** A person with a password and an authenticator app here, who is known at the provider. */
async function person() {
  const { id, email } = await make.person();
  const visitor = new Visitor(service);
  await visitor.enrol(id);
  await visitor.addTotp(longPassword);
  provider.subject = crypto.randomUUID();
  provider.accounts.set(provider.subject, { email, email_verified: true });
  return id;
}

/** Signs in, with what the provider says about how. @returns the state of the session */
async function stateAfter(issuer: string, said: JWTPayload): Promise<string> {
  provider.forge = (claims, sign) => sign({ ...claims, amr: undefined, acr: undefined, ...said });
  const browser = new Browser();
  try {
    const end = await browser.follow(`${base}/${issuer}`, (next) => new URL(next).pathname === '/');
    assert.equal(end, `${service.url}/`);
  } finally {
    provider.forge = undefined;
  }
  const { state } = (await (await browser.get(`${service.url}/person/v1/me`)).json()) as Me;
  return state;
}

describe('a sign-in with an OpenID provider', () => {
  const cases: [keyof typeof factors, JWTPayload, string][] = [
    ['by-amr', { amr: ['pwd', 'mfa'] }, 'whole'],
    ['by-amr', { amr: ['hwk'] }, 'whole'],
    ['by-amr', { amr: ['pwd'] }, 'pending'],
    ['by-amr', {}, 'pending'],
    ['by-amr', { acr: 'mfa' }, 'pending'],
    ['by-acr', { acr: 'urn:two' }, 'whole'],
    ['by-acr', { acr: 'urn:one' }, 'pending'],
    ['by-acr', { amr: ['urn:two'] }, 'pending'],
    ['by-both', { acr: 'urn:two', amr: ['pwd'] }, 'whole'],
    ['by-both', { acr: 'urn:one', amr: ['mfa'] }, 'whole'],
    ['by-both', { acr: 'urn:one', amr: ['pwd'] }, 'pending'],
    ['always', {}, 'whole'],
    ['never', { amr: ['mfa'], acr: 'urn:two' }, 'pending'],
  ];
  for (const [issuer, said, state] of cases) {
    it(`with twoFactor ${JSON.stringify(factors[issuer])} is ${state} after ${JSON.stringify(said)}`, async () => {
      await person();
      assert.equal(await stateAfter(issuer, said), state);
    });
  }

  it('asks the provider for the acr that counts', async () => {
    const begun = await new Browser().get(`${base}/by-acr`);
    const asked = new URL(begun.headers.get('location') ?? '').searchParams;
    assert.equal(asked.get('acr_values'), 'urn:two urn:three');
  });

  it('gives the secret in the body where the provider offers nothing else, or the settings say so', async () => {
    for (const issuer of ['post', 'basic']) {
      await person();
      assert.equal(await stateAfter(issuer, {}), 'pending');
      assert.equal(provider.taken, `client_secret_${issuer}`);
    }
    await person();
    await stateAfter('never', {});
    assert.equal(provider.taken, 'client_secret_basic');
    provider.offered = ['client_secret_post'];
    await provider.rotateKeys();
    const own = await startTestService({ oidc: [provider.settings('company')] });
    await provider.register(`${own.url}/person/v1/sign-in/oidc/company/callback`);
    const { email } = await makers(own).person();
    provider.accounts.set(provider.subject, { email, email_verified: true });
    const browser = new Browser();
    await browser.follow(`${own.url}/person/v1/sign-in/oidc/company`, (next) => new URL(next).pathname === '/');
    assert.equal((await browser.get(`${own.url}/person/v1/me`)).status, 200);
    assert.equal(provider.taken, 'client_secret_post');
  });
});

describe('the settings of OpenID providers', () => {
  const good = { id: 'company', name: 'Company', issuer: 'https://login.example.com', clientId: 'rolecall' };
  const wrong: [object, RegExp][] = [
    [{ ...good, id: 'Company' }, /: issuers\.0\.id must be 1 to 50 small letters/],
    [{ ...good, issuer: 'http://login.example.com' }, /: issuers\.0\.issuer must be an https address/],
    [{ ...good, clientSecretFile: 'a', clientSecretEnv: 'B' }, /: issuers\.0\.clientSecretEnv .*give one of the two/],
    [{ ...good, scopes: ['email'] }, /: issuers\.0\.scopes must have openid/],
    [{ ...good, twoFactor: {} }, /: issuers\.0\.twoFactor must have amr or acr/],
    [{ ...good, clientAuthentication: 'none' }, /: issuers\.0\.clientAuthentication /],
    [{ ...good, clientSecret: 'in the file' }, /clientSecret/],
    [{ ...good, claims: { groups: [] } }, /: issuers\.0\.claims\.groups /],
  ];
  for (const [issuer, message] of wrong) {
    it(`name the field that is wrong: ${String(message)}`, () => {
      assert.throws(() => parseOidc({ issuers: [issuer] }), message);
    });
  }

  it('are refused with two issuers of one id or address, and without any', () => {
    assert.throws(
      () => parseOidc({ issuers: [good, { ...good, issuer: 'https://b.example' }] }),
      /issuers\.1\.id is that of/,
    );
    assert.throws(() => parseOidc({ issuers: [good, { ...good, id: 'b' }] }), /issuers\.1\.issuer is that of/);
    assert.throws(() => parseOidc({ issuers: [] }), /issuers/);
  });
});
