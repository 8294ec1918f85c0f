import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AddedFactors, Factors, Me } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { addFactor } from '../../../server/sign-in/factors.ts';
import { freePort } from '../../support/free-port.ts';
import { Authenticator } from '../support/authenticator.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { longPassword, Visitor } from '../support/visitor.ts';

// Passkeys are bound to a name; an address has none.
const port = await freePort();
const origin = `http://localhost:${port}`;
const service = await startTestService({ publicUrl: origin, port });
const make = makers(service);

type Options = Record<string, unknown>;

/** A person whose browser has a passkey, and nothing else. */
async function enrolled() {
  const person = await make.person();
  const [browser, passkey] = [new Visitor(service, origin), new Authenticator(origin)];
  await browser.enrol(person.id);
  const options = await browser.ok<Options>('POST', '/passkey-setup');
  const credential = passkey.create(options);
  const added = await browser.ok<AddedFactors>('POST', '/factor', { passkey: { name: 'Laptop', credential } });
  assert.equal(added.me.state, 'whole');
  return { person, browser, passkey };
}

const begin = (browser: Visitor) => browser.ok<Options>('POST', '/sign-in/passkey-options');

describe('a passkey', () => {
  it('signs a person in without a name, as two factors', async () => {
    const { person, passkey } = await enrolled();
    const browser = new Visitor(service, origin);
    const me = await browser.ok<Me>('POST', '/sign-in/passkey', { credential: passkey.get(await begin(browser)) });
    assert.deepEqual([me.person.id, me.state, me.session.factors], [person.id, 'whole', ['passkey']]);
  });

  it('is one of twenty at most', async () => {
    const { person, browser } = await enrolled();
    const createdAt = new Date().toISOString();
    const secret = { credential: 'x', publicKey: '', transports: [] };
    await withData(service.store, ({ store, seal }) =>
      store.write([], async (executor) => {
        for (let count = 1; count < 20; count += 1) {
          const factor = { id: `k${count}${person.id}`, person: person.id, kind: 'passkey', name: 'Key' } as const;
          const lookup = `passkey ${count} ${person.id}`;
          await addFactor(executor, seal, { ...factor, lookup, counter: 0, createdAt, secret });
        }
      }),
    );
    const credential = new Authenticator(origin).create(await browser.ok<Options>('POST', '/passkey-setup'));
    const answer = await browser.send('POST', '/factor', { passkey: { name: 'One more', credential } });
    assert.match(answer.text, /remove one of your 20 passkeys first/);
    assert.equal((await browser.ok<Factors>('GET', '/factor')).factors.length, 20);
  });

  it('is refused with a challenge that was used, is of another browser, or was made for something else', async () => {
    const { passkey, browser: own } = await enrolled();
    const [browser, other] = [new Visitor(service, origin), new Visitor(service, origin)];
    const challenge = await begin(browser);
    await begin(other);
    const credential = passkey.get(challenge);
    assert.equal(await other.refused('POST', '/sign-in/passkey', { credential }), 'sign_in_refused');
    const cookie = browser.cookies.get('rolecall-passkey') ?? '';
    await browser.ok('POST', '/sign-in/passkey', { credential });
    browser.cookies.set('rolecall-passkey', cookie);
    const again = passkey.get(challenge);
    assert.equal(await browser.refused('POST', '/sign-in/passkey', { credential: again }), 'sign_in_refused');
    const proof = await own.ok<Options>('POST', '/prove/passkey-options');
    assert.equal(await own.refused('POST', '/sign-in/passkey', { credential: passkey.get(proof) }), 'sign_in_refused');
    await own.ok('POST', '/prove/passkey', { credential: passkey.get(proof) });
  });

  it('that does not count signs one of many browsers in with one answer', async () => {
    const { passkey } = await enrolled();
    const browser = new Visitor(service, origin);
    const challenge = await begin(browser);
    passkey.counter = -1;
    const credential = passkey.get(challenge);
    const answers = await Promise.all(
      Array.from({ length: 5 }, () => {
        const thief = new Visitor(service, origin);
        for (const [name, value] of browser.cookies) thief.cookies.set(name, value);
        return thief.send('POST', '/sign-in/passkey', { credential });
      }),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403, 403]);
  });

  it('is refused with a counter that was seen, for another origin, without the person, and where no one knows it', async () => {
    const { passkey } = await enrolled();
    const browser = new Visitor(service, origin);
    const refused = async (make: (options: Options) => unknown) =>
      browser.refused('POST', '/sign-in/passkey', { credential: make(await begin(browser)) });
    await browser.ok('POST', '/sign-in/passkey', { credential: passkey.get(await begin(browser)) });
    passkey.counter = 0;
    assert.equal(await refused((options) => passkey.get(options)), 'sign_in_refused', 'a cloned passkey');
    passkey.verifiesUser = false;
    passkey.counter = 10;
    assert.equal(await refused((options) => passkey.get(options)), 'sign_in_refused', 'not unlocked');
    assert.equal(await refused((options) => new Authenticator(origin).get(options)), 'sign_in_refused', 'unknown');
    passkey.verifiesUser = true;
    assert.equal(await refused(() => passkey.get({ challenge: 'AAAA' })), 'sign_in_refused');
    passkey.name = 'evil.example';
    assert.equal(await refused((options) => passkey.get(options)), 'sign_in_refused', 'bound to another name');
    passkey.name = 'localhost';
    passkey.origin = `http://localhost:${port + 1}`;
    assert.equal(await refused((options) => passkey.get(options)), 'sign_in_refused', 'used on a page of another port');
    passkey.origin = origin;
    await browser.ok('POST', '/sign-in/passkey', { credential: passkey.get(await begin(browser)) });
  });

  it('is set up once, only if the person unlocks it, for this service', async () => {
    const { browser, passkey } = await enrolled();
    const options = await browser.ok<{ excludeCredentials: { id: string }[] }>('POST', '/passkey-setup');
    assert.equal(options.excludeCredentials.length, 1);
    const same = { name: 'Again', credential: passkey.create(options as Options) };
    assert.equal(await browser.refused('POST', '/factor', { passkey: same }), 'invalid_fields');
    const [blind, foreign] = [new Authenticator(origin), new Authenticator('https://evil.example')];
    blind.verifiesUser = false;
    for (const one of [blind, foreign]) {
      const credential = one.create(await browser.ok<Options>('POST', '/passkey-setup'));
      assert.equal(await browser.refused('POST', '/factor', { passkey: { name: 'No', credential } }), 'invalid_fields');
    }
  });

  it('counts nowhere in a frame of another site, whatever the browser tells of that', async () => {
    const frames = [
      { crossOrigin: true },
      { crossOrigin: true, topOrigin: 'https://evil.example' },
      { crossOrigin: true, topOrigin: origin },
      { crossOrigin: false, topOrigin: 'https://evil.example' },
      { topOrigin: 'https://evil.example' },
      { crossOrigin: 'true' },
    ];
    const { browser, passkey } = await enrolled();
    const other = new Visitor(service, origin);
    const prove = async () => passkey.get(await browser.ok<Options>('POST', '/prove/passkey-options'));
    for (const frame of frames) {
      const fresh = Object.assign(new Authenticator(origin), { frame });
      const credential = fresh.create(await browser.ok<Options>('POST', '/passkey-setup'));
      const what = JSON.stringify(frame);
      assert.equal(
        await browser.refused('POST', '/factor', { passkey: { name: 'No', credential } }),
        'invalid_fields',
        what,
      );
      passkey.frame = frame;
      const answer = passkey.get(await begin(other));
      assert.equal(await other.refused('POST', '/sign-in/passkey', { credential: answer }), 'sign_in_refused', what);
      assert.equal(
        await browser.refused('POST', '/prove/passkey', { credential: await prove() }),
        'sign_in_refused',
        what,
      );
    }
    passkey.frame = {};
    await other.ok('POST', '/sign-in/passkey', { credential: passkey.get(await begin(other)) });
  });

  it('asks a password for a second factor, and cannot be removed while it is the only way in', async () => {
    const { browser, person } = await enrolled();
    const [passkey] = (await browser.ok<Factors>('GET', '/factor')).factors;
    assert.equal(await browser.refused('DELETE', `/factor/${String(passkey?.id)}`), 'factor_needed');
    await browser.ok('POST', '/factor', { password: longPassword });
    assert.equal((await new Visitor(service, origin).signIn(person.username, longPassword)).state, 'pending');
    await browser.ok('DELETE', `/factor/${String(passkey?.id)}`);
    assert.equal((await new Visitor(service, origin).signIn(person.username, longPassword)).state, 'whole');
  });

  it('has its challenge by the clock of the store, also from a service that has just started', async () => {
    const fresh = await startTestService({ publicUrl: origin });
    const browser = new Visitor(fresh, origin);
    await begin(browser);
    const [end] = (browser.cookies.get('rolecall-passkey') ?? '').split('.');
    assert.ok(Math.abs(Number(end) - Date.now() - 300_000) < 60_000);
  });

  it('needs a service with a name', async () => {
    const plain = await startTestService();
    assert.equal(await new Visitor(plain).refused('POST', '/sign-in/passkey-options'), 'sign_in_unavailable');
  });
});
