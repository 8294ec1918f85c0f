import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Me, SignInError } from '@rolecall/api';
import { makers } from '../support/make.ts';
import { Browser, OpenIdProvider } from '../support/openid-provider.ts';
import { startTestService } from '../support/service.ts';
import { codeNow, Visitor } from '../support/visitor.ts';

const company = await OpenIdProvider.start();
const two = 'urn:example:two';
const rules = {
  amr: { amr: ['mfa', 'hwk'] },
  acr: { acr: [two] },
  either: { amr: ['mfa'], acr: [two] },
  always: true,
  never: false,
};
const service = await startTestService({
  requireTwoFactor: true,
  oidc: Object.entries(rules).map(([id, twoFactor]) => company.settings(id, { twoFactor })),
});
const make = makers(service);
const base = `${service.url}/person/v1/sign-in/oidc`;
await company.register(Object.keys(rules).map((id) => `${base}/${id}/callback`));

async function member(): Promise<string> {
  const { id, email } = await make.person();
  company.subject = crypto.randomUUID();
  company.accounts.set(company.subject, { email, email_verified: true });
  return id;
}

/** Signs the person in whom the provider signs in. @param said what the ID token says of the sign-in */
async function signIn(rule: keyof typeof rules, said: object, search = ''): Promise<Visitor & { location: string }> {
  company.forge = ({ acr: _acr, amr: _amr, auth_time: _time, ...claims }, sign) => sign({ ...claims, ...said });
  const browser = new Browser();
  const address = await browser.follow(`${base}/${rule}${search}`, (next) =>
    next.startsWith(`${base}/${rule}/callback`),
  );
  const location = (await browser.get(address)).headers.get('location') ?? '';
  const visitor = new Visitor(service);
  visitor.cookies.set('rolecall', browser.cookie(base, 'rolecall') ?? '');
  return Object.assign(visitor, { location });
}

const stateOf = async (visitor: Visitor) => (await visitor.ok<Me>('GET', '/me')).state;

describe('a provider counts as two factors only', () => {
  const cases: [keyof typeof rules, object, Me['state']][] = [
    ['amr', { amr: ['pwd', 'mfa'] }, 'whole'],
    ['amr', { amr: ['pwd'] }, 'enrolling'],
    ['amr', { amr: ['MFA', 'mfa '] }, 'enrolling'],
    ['amr', { amr: [] }, 'enrolling'],
    ['amr', { acr: 'mfa' }, 'enrolling'],
    ['acr', { acr: two }, 'whole'],
    ['acr', { acr: `${two}x` }, 'enrolling'],
    ['acr', { acr: '', amr: [two] }, 'enrolling'],
    ['either', { acr: 'urn:example:one', amr: ['mfa'] }, 'whole'],
    ['either', { acr: two, amr: ['pwd'] }, 'whole'],
    ['either', {}, 'enrolling'],
    ['always', {}, 'whole'],
    ['never', { acr: two, amr: ['mfa'] }, 'enrolling'],
  ];
  for (const [rule, said, state] of cases) {
    it(`where its setting says so: ${rule}, with ${JSON.stringify(said)}, is ${state}`, async () => {
      await member();
      assert.equal(await stateOf(await signIn(rule, said)), state);
    });
  }

  it('by what is signed: an answer about the person adds nothing, and one of a wrong form is refused', async () => {
    await member();
    const account = company.accounts.get(company.subject);
    const { email } = account ?? {};
    company.accounts.set(company.subject, { ...account, acr: two, amr: ['mfa'] });
    // Without the address in the token, the service asks about the person.
    assert.equal(await stateOf(await signIn('either', { email: undefined, email_verified: undefined })), 'enrolling');
    for (const said of [{ amr: 'mfa' }, { acr: [two] }]) {
      const { location } = await signIn('either', { ...said, email });
      assert.equal(location, `${service.url}/sign-in?error=${'provider_failed' satisfies SignInError}`);
    }
  });

  it('and is asked for them', async () => {
    const begin = async (rule: string) => {
      const answer = await fetch(`${base}/${rule}`, { redirect: 'manual' });
      return new URL(answer.headers.get('location') ?? '').searchParams.get('acr_values');
    };
    assert.deepEqual([await begin('acr'), await begin('amr')], [two, null]);
  });
});

describe('a person whose provider counts as one factor', () => {
  it('sets a second one up, and gives it at each sign-in from then on, also where it is not required', async () => {
    await member();
    const first = await signIn('never', {});
    await first.ok('GET', '/me');
    assert.equal(await first.refused('GET', '/access'), 'second_factor_required');
    const { seed, me } = await first.addTotp();
    assert.deepEqual([me.state, me.session.factors], ['whole', ['oidc', 'totp']]);
    const again = await signIn('amr', { amr: ['pwd'] });
    assert.equal(await stateOf(again), 'pending');
    assert.equal(await again.refused('GET', '/access'), 'second_factor_required');
    const whole = await again.ok<Me>('POST', '/sign-in/totp', { code: codeNow(seed, 1) });
    assert.deepEqual([whole.state, whole.session.factors], ['whole', ['oidc', 'totp']]);
    assert.equal(await stateOf(await signIn('amr', { amr: ['mfa'] })), 'whole');
  });
});

describe('a sign-in with a provider lets factors be changed', () => {
  const now = () => Math.floor(Date.now() / 1000);
  const change = async (visitor: Visitor) => {
    await visitor.ok('GET', '/me');
    return (await visitor.send('POST', '/totp-setup')).status;
  };

  it('only where the provider has just asked the person', async () => {
    await member();
    assert.equal(await change(await signIn('always', { auth_time: now() - 30 })), 200);
    assert.equal(await change(await signIn('always', { auth_time: now() - 3600 })), 403);
    assert.equal(await change(await signIn('always', { auth_time: now() - 3600 }, '?fresh=true')), 403);
    for (const off of [-3600, 3600]) {
      const times = { iat: now() + off, exp: now() + 7200, auth_time: now() + off - 30 };
      assert.equal(await change(await signIn('always', times)), 200, 'clocks differ');
    }
    assert.equal(await change(await signIn('always', { auth_time: (now() - 3600) * 1000 })), 403, 'in milliseconds');
  });

  it('not by the second factor alone, which a person gives after the provider has let them in without asking', async () => {
    await member();
    const first = await signIn('never', { auth_time: now() - 30 });
    await first.ok('GET', '/me');
    const { seed } = await first.addTotp();
    const stale = await signIn('never', { auth_time: now() - 3600 });
    await stale.ok('GET', '/me');
    await stale.ok('POST', '/sign-in/totp', { code: codeNow(seed, 1) });
    assert.equal(await change(stale), 403);
    assert.equal(
      await stale.refused('POST', '/prove/password', { password: 'none', code: codeNow(seed, 1) }),
      'sign_in_refused',
    );
  });

  it('that does not say when it signed the person in is told to ask', async () => {
    await member();
    assert.equal(await change(await signIn('always', {})), 403);
    assert.equal(await change(await signIn('always', {}, '?fresh=true')), 200);
  });
});
