/** Over the PostgreSQL store only: the embedded one is served by one process. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { requires } from '../../support/databases/parts.ts';
import { freePort } from '../../support/free-port.ts';
import { makers } from '../support/make.ts';
import { Browser, clientId, OpenIdProvider } from '../support/openid-provider.ts';
import { startTestService } from '../support/service.ts';
import { newPostgresStore } from '../support/stores.ts';

it(
  'a sign-in that begins at one replica ends at another, once, and the provider ends it everywhere',
  requires('postgresql'),
  async () => {
    const company = await OpenIdProvider.start();
    const port = await freePort();
    const publicUrl = `http://127.0.0.1:${port}`;
    const options = { ...(await newPostgresStore()), publicUrl, oidc: [company.settings('company')] };
    const [one, other] = [await startTestService({ ...options, port }), await startTestService(options)];
    const base = `${publicUrl}/person/v1/sign-in/oidc/company`;
    await company.register(`${base}/callback`);
    const { id, email } = await makers(one).person();
    company.accounts.set(company.subject, { email, email_verified: true });

    const browser = new Browser();
    const address = await browser.follow(base, (next) => next.startsWith(`${base}/callback`));
    const cookie = `rolecall-sign-in=${browser.cookie(base, 'rolecall-sign-in')}`;
    const atOther = address.replace(publicUrl, other.url);
    const ended = await fetch(atOther, { headers: { cookie }, redirect: 'manual' });
    assert.deepEqual([ended.status, ended.headers.get('location')], [303, `${publicUrl}/`]);
    const session = ended.headers.getSetCookie().find((one) => one.startsWith('rolecall=')) ?? '';
    const me = async (url: string) =>
      fetch(`${url}/person/v1/me`, { headers: { cookie: session.split(';')[0] ?? '' } });
    for (const { url } of [one, other]) {
      const { person } = (await (await me(url)).json()) as { person: { id: string } };
      assert.equal(person.id, id);
    }

    company.isRepeating = true;
    const again = await fetch(address, { headers: { cookie }, redirect: 'manual' });
    assert.equal(again.headers.get('location'), `${publicUrl}/sign-in?error=used`);
    company.isRepeating = false;

    const now = Math.floor(Date.now() / 1000);
    const token = await company.sign({
      iss: company.issuer,
      aud: clientId,
      jti: crypto.randomUUID(),
      iat: now,
      exp: now + 120,
      sub: company.subject,
      events: { 'http://schemas.openid.net/event/backchannel-logout': {} },
    });
    const body = new URLSearchParams({ logout_token: token });
    const logout = '/person/v1/sign-in/oidc/company/back-channel-logout';
    assert.equal((await fetch(`${one.url}${logout}`, { method: 'POST', body })).status, 200);
    assert.equal((await fetch(`${other.url}${logout}`, { method: 'POST', body })).status, 400);
    for (const { url } of [one, other]) assert.equal((await me(url)).status, 401);
  },
);
