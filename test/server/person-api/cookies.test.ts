import assert from 'node:assert/strict';
import { it } from 'node:test';
import { Cookie } from '../../../server/person-api/cookie.ts';
import { makers } from '../support/make.ts';
import { OpenIdProvider } from '../support/openid-provider.ts';
import { startTestService } from '../support/service.ts';
import { invitationToken, longPassword, Visitor } from '../support/visitor.ts';

it('every cookie of a service that is reached by https is for its host and TLS alone, and closed to scripts', async () => {
  const origin = 'https://rolecall.example.com';
  const company = await OpenIdProvider.start();
  await company.register(`${origin}/person/v1/sign-in/oidc/company/callback`);
  const service = await startTestService({ publicUrl: origin, oidc: [company.settings('company')] });
  const browser = new Visitor(service, origin);
  const token = await invitationToken(service, (await makers(service).person()).id);
  const answers = [
    await browser.send('POST', '/enrolment', { token }),
    await browser.send('POST', '/passkey-setup'),
    await browser.send('POST', '/factor', { password: longPassword }),
    await browser.send('POST', '/sign-in/passkey-options'),
    { headers: (await fetch(`${service.url}/person/v1/sign-in/oidc/company`, { redirect: 'manual' })).headers },
    await browser.send('POST', '/sign-out'),
  ];
  const lines = answers.flatMap(({ headers }) => headers.getSetCookie());
  assert.deepEqual(
    [...new Set(lines.map((line) => line.split('=')[0]))].sort(),
    ['', '-device', '-passkey', '-sign-in'].map((name) => `__Host-rolecall${name}`),
  );
  for (const line of lines) {
    const [, ...attributes] = line.split('; ');
    const rest = attributes.filter((one) => !one.startsWith('Max-Age='));
    assert.deepEqual(rest.sort(), ['HttpOnly', 'Path=/', 'SameSite=Lax', 'Secure'], line);
  }
});

it('a cookie of a service on the own machine has another name, so that none of them is taken for one with TLS', () => {
  const cookie = new Cookie('http://127.0.0.1:3000');
  assert.equal(cookie.write('x'), 'rolecall=x; Path=/; HttpOnly; SameSite=Lax');
  assert.equal(cookie.read('a=b; rolecall=x'), 'x');
  assert.equal(new Cookie('https://rolecall.example.com').read('rolecall=x; rolecall-device=y'), undefined);
  assert.equal(new Cookie('https://rolecall.example.com').read('a=__Host-rolecall=x'), undefined);
});

it('a cookie that a subdomain can set is none of the service: only spaces and tabs come before a name', () => {
  const cookie = new Cookie('https://rolecall.example.com');
  assert.equal(cookie.read('a=b; \t__Host-rolecall=x \t;c=d'), 'x');
  // As Node gives bytes that are no ASCII. Browsers take these names for ones without the prefix, and send them first.
  for (const space of ['\u00a0', '\u0085', '\ufeff', '\u2003', '\v', '\f']) {
    assert.equal(cookie.read(`${space}__Host-rolecall=planted; __Host-rolecall=own`), 'own', JSON.stringify(space));
  }
  // A reader that takes the square of the length would take minutes for this.
  assert.equal(cookie.read(`a${' '.repeat(2 ** 20)}b; __Host-rolecall=x`), 'x');
});
