import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Factors, Me } from '@rolecall/api';
import { listAudit } from '@rolecall/server';
import { withData } from '../../../server/data/open-data.ts';
import { freePort } from '../../support/free-port.ts';
import { Authenticator } from '../support/authenticator.ts';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { codeNow, longPassword, Visitor } from '../support/visitor.ts';

// Passkeys are bound to a name; an address has none.
const port = await freePort();
const origin = `http://localhost:${port}`;
const service = await startTestService({ publicUrl: origin, port });
const make = makers(service);

type Options = Record<string, unknown>;
const wrong = 'a wrong long password';

/** A person who signed in long ago, in a browser. @param set what they sign in with, which may be set up by the function */
async function longAgo<T>(set: (browser: Visitor) => Promise<T>) {
  const person = await make.person();
  const browser = new Visitor(service, origin);
  await browser.enrol(person.id);
  const found = await set(browser);
  await makeOld(browser, person.id);
  return { person, browser, ...found };
}

const withPassword = () => longAgo((browser) => browser.ok<object>('POST', '/factor', { password: longPassword }));
const withApp = () => longAgo((browser) => browser.addTotp(longPassword));
const withPasskey = () =>
  longAgo(async (browser) => {
    const passkey = new Authenticator(origin);
    const credential = passkey.create(await browser.ok<Options>('POST', '/passkey-setup'));
    const body = { password: longPassword, passkey: { name: 'Laptop', credential } };
    const { recoveryCodes } = await browser.ok<{ recoveryCodes: string[] }>('POST', '/factor', body);
    return { passkey, recoveryCodes };
  });

/** Gives a browser a session of the person in which a factor was proven an hour ago. */
async function makeOld(browser: Visitor, person: string): Promise<void> {
  const opening = { factors: ['password'], provenAt: Date.now() - 3_600_000 } as const;
  const { token } = await signedIn(service, person, opening);
  browser.cookies.set('rolecall', token);
  await browser.ok('GET', '/me');
}

const prove = (browser: Visitor, second: object, password = longPassword) =>
  browser.send('POST', '/prove/password', { password, ...second });
const codeOf = ({ body }: { body: unknown }) => (body as { code?: string }).code;

/** Whether the session may change factors. */
const isProven = async (browser: Visitor) => (await browser.send('POST', '/totp-setup')).status === 200;

describe('before factors change, a person proves again', () => {
  it('with the password, if that is all they have', async () => {
    const { browser } = await withPassword();
    assert.equal(await isProven(browser), false);
    assert.equal((await prove(browser, {})).status, 200);
    assert.equal(await isProven(browser), true);
  });

  it('with the password and a code of the authenticator app, if they have one: neither alone is enough', async () => {
    const { browser, seed } = await withApp();
    const code = codeNow(seed, 1);
    const alone = await prove(browser, {});
    assert.equal(codeOf(alone), 'invalid_fields');
    assert.match(alone.text, /code is missing, because you have a second factor/);
    assert.equal(codeOf(await prove(browser, { code }, wrong)), 'sign_in_refused');
    assert.equal((await browser.send('POST', '/prove/password', { code })).status, 422);
    assert.equal(await isProven(browser), false);
    const me = (await prove(browser, { code })).body as Me;
    assert.deepEqual(me.session.factors, ['password', 'totp']);
    assert.equal(await isProven(browser), true);
  });

  it('with a new token: the one before is over, and a code works once, also for two at once', async () => {
    const { person, browser, seed, used } = await withApp();
    const [one, other] = [browser, new Visitor(service, origin)];
    await makeOld(other, person.id);
    const stolen = new Visitor(service, origin);
    for (const [name, value] of one.cookies) stolen.cookies.set(name, value);
    for (const old of [used, codeNow(seed, -10), codeNow(seed, 10)]) {
      assert.equal(codeOf(await prove(one, { code: old })), 'sign_in_refused');
    }
    const code = codeNow(seed, 1);
    const both = await Promise.all([prove(one, { code }), prove(other, { code })]);
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403]);
    if (both[0].status === 200) assert.equal(await stolen.refused('GET', '/me'), 'signed_out');
    assert.deepEqual([await isProven(one), await isProven(other)].sort(), [false, true]);
  });

  it('with a recovery code in place of the code, once, so that a lost device can be replaced', async () => {
    const { person, browser, recoveryCodes } = await withApp();
    const [recoveryCode = ''] = recoveryCodes;
    assert.equal(codeOf(await prove(browser, { recoveryCode }, wrong)), 'sign_in_refused');
    assert.equal((await prove(browser, { recoveryCode, code: '123456' })).status, 422);
    assert.equal((await prove(browser, { recoveryCode })).status, 200);
    await browser.addTotp();
    assert.equal((await browser.ok<Factors>('GET', '/factor')).recoveryCodesLeft, 9);
    await makeOld(browser, person.id);
    assert.equal(codeOf(await prove(browser, { recoveryCode })), 'sign_in_refused');
  });

  it('with a passkey, if they have one: the password alone is not enough', async () => {
    const { person, browser, passkey, recoveryCodes } = await withPasskey();
    assert.equal(codeOf(await prove(browser, {})), 'invalid_fields');
    assert.equal(codeOf(await prove(browser, { code: '123456' })), 'sign_in_refused');
    passkey.verifiesUser = false;
    const presence = passkey.get(await browser.ok<Options>('POST', '/prove/passkey-options'));
    assert.equal(await browser.refused('POST', '/prove/passkey', { credential: presence }), 'sign_in_refused');
    assert.equal(await isProven(browser), false);
    passkey.verifiesUser = true;
    const credential = passkey.get(await browser.ok<Options>('POST', '/prove/passkey-options'));
    await browser.ok('POST', '/prove/passkey', { credential });
    assert.equal(await isProven(browser), true);
    await makeOld(browser, person.id);
    assert.equal((await prove(browser, { recoveryCode: recoveryCodes[0] })).status, 200);
    assert.equal(await isProven(browser), true);
  });

  it('with the second factor also where its row was deleted in the database', async () => {
    const { person, browser } = await withApp();
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        await db.deleteFrom('sign_in_factor').where('person_id', '=', person.id).where('kind', '=', 'totp').execute();
        await db.updateTable('person').set({ two_factor_enabled: 0 }).where('id', '=', person.id).execute();
      }),
    );
    assert.equal(codeOf(await prove(browser, {})), 'invalid_fields');
    assert.equal(await isProven(browser), false);
  });

  it('no more often wrongly than at a sign-in: then the right code is not checked either', async () => {
    const { browser, seed } = await withApp();
    const answers = [];
    for (let count = 0; count < 11; count += 1) answers.push(codeOf(await prove(browser, { code: '000000' })));
    assert.deepEqual(new Set(answers.slice(0, 10)), new Set(['sign_in_refused']));
    assert.equal(answers.at(-1), 'too_many_requests');
    assert.equal(codeOf(await prove(browser, { code: codeNow(seed, 1) })), 'too_many_requests');
    assert.equal(await isProven(browser), false);
    const other = await withPassword();
    const guesses = [];
    for (let count = 0; count < 11; count += 1) guesses.push(codeOf(await prove(other.browser, {}, wrong)));
    assert.equal(guesses.at(-1), 'too_many_requests');
  });

  it('in a session of their own: with the passkey of another person, nothing is proven', async () => {
    const [ada, ben] = [await withPasskey(), await withPasskey()];
    const credential = ben.passkey.get(await ada.browser.ok<Options>('POST', '/prove/passkey-options'));
    assert.equal(await ada.browser.refused('POST', '/prove/passkey', { credential }), 'sign_in_refused');
    assert.equal(await isProven(ada.browser), false);
  });
});

it('each proof and each refusal is in the audit trail with its factors, and no secret is', async () => {
  const own = await startTestService();
  const person = await makers(own).person();
  const browser = new Visitor(own);
  await browser.enrol(person.id);
  const { seed, recoveryCodes } = await browser.addTotp(longPassword);
  const code = codeNow(seed, 1);
  await prove(browser, { code: '000000' });
  await prove(browser, { recoveryCode: 'AAAA-AAAA-AAAA-AAAA-AAAA-AAAA' });
  await prove(browser, { code });
  // Refusals are written in the background.
  await own.close();
  const entries = await listAudit({ ...own.store, query: { limit: 100 } });
  const refusals = entries
    .filter(({ operation }) => operation === 'signIn')
    .flatMap(({ changes }) => changes)
    .filter(({ id }) => id === person.id)
    .map(({ after }) => [after?.['factor'], after?.['reason']]);
  assert.deepEqual(refusals.sort(), [
    ['recovery_code', 'wrong'],
    ['totp', 'wrong'],
  ]);
  const opened = entries.flatMap(({ operation, changes }) =>
    changes
      .filter(
        ({ kind, action, after }) => kind === 'session' && action === 'created' && after?.['person'] === person.id,
      )
      .map(({ after }) => [operation, after?.['factors']]),
  );
  assert.deepEqual(opened.at(-1), ['provePassword', ['password', 'totp']]);
  const text = JSON.stringify(entries);
  for (const secret of [longPassword, seed, ...recoveryCodes]) assert.ok(!text.includes(secret));
});
