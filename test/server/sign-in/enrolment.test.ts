import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { AddedFactors, InvitedPerson, Me, TotpSetup } from '@rolecall/api';
import { withData } from '../../../server/data/open-data.ts';
import { makers } from '../support/make.ts';
import { startTestService } from '../support/service.ts';
import { codeNow, invitationToken, longPassword, Visitor } from '../support/visitor.ts';

const service = await startTestService();
const strict = await startTestService({ requireTwoFactor: true });
const make = makers(service);

describe('the link of an invitation', () => {
  it('opens a session for setting up factors alone, which becomes a whole one with the first password', async () => {
    const ada = await make.person();
    const browser = new Visitor(service);
    const me = await browser.enrol(ada.id);
    assert.deepEqual([me.state, me.person.id, me.session.factors], ['enrolling', ada.id, []]);
    assert.equal(await browser.refused('GET', '/session'), 'second_factor_required');
    const planted = new Map(browser.cookies);
    const added = await browser.ok<AddedFactors>('POST', '/factor', { password: longPassword });
    assert.equal(added.me.state, 'whole');
    assert.deepEqual(added.recoveryCodes, []);
    await browser.ok('GET', '/session');
    const other = new Visitor(service);
    for (const [name, value] of planted) other.cookies.set(name, value);
    assert.equal(await other.refused('GET', '/me'), 'signed_out', 'the enrolling session is over');
    assert.equal((await new Visitor(service).signIn(ada.username, longPassword)).state, 'whole');
    const listed = await service.ok<InvitedPerson[]>('GET', '/invitation');
    assert.ok(!listed.some(({ person }) => person.id === ada.id));
  });

  it('works once, until a newer one or 24 hours replace it, and not for a person who is locked', async () => {
    const ada = await make.person();
    const [first, second] = [await invitationToken(service, ada.id), await invitationToken(service, ada.id)];
    const open = (token: string) => new Visitor(service).send('POST', '/enrolment', { token });
    assert.equal((await open(first)).status, 403);
    const browser = new Visitor(service);
    await browser.ok('POST', '/enrolment', { token: second });
    await service.ok('PUT', `/person/${ada.id}/lock`);
    assert.equal((await open(second)).status, 403);
    await service.ok('PUT', `/person/${ada.id}/unlock`);
    assert.equal(await browser.refused('POST', '/factor', { password: longPassword }), 'signed_out');
    await browser.ok('POST', '/enrolment', { token: second });
    await browser.ok('POST', '/factor', { password: longPassword });
    assert.equal((await open(second)).status, 403, 'used');
    const third = await invitationToken(service, ada.id);
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        await db.updateTable('one_time_token').set({ expires_at: '2026-01-01T00:00:00.000Z' }).execute();
      }),
    );
    assert.equal((await open(third)).status, 403, 'over');
    assert.equal((await open('rolecall_invitation_guessed')).status, 403);
  });

  it('ends what was begun with it when it is opened again, and when a newer one is made', async () => {
    const ada = await make.person();
    const token = await invitationToken(service, ada.id);
    const [first, second] = [new Visitor(service), new Visitor(service)];
    await first.ok('POST', '/enrolment', { token });
    await second.ok('POST', '/enrolment', { token });
    assert.equal(await first.refused('POST', '/factor', { password: longPassword }), 'signed_out');
    await invitationToken(service, ada.id);
    assert.equal(await second.refused('POST', '/factor', { password: longPassword }), 'signed_out');
  });

  it('that was made or prolonged in the database invites no one', async () => {
    const [ada, ben] = [await make.person(), await make.person()];
    const token = await invitationToken(service, ada.id);
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        await db.updateTable('one_time_token').set({ person_id: ben.id }).where('person_id', '=', ada.id).execute();
      }),
    );
    assert.equal((await new Visitor(service).send('POST', '/enrolment', { token })).status, 403);
  });

  it('used twice at once sets up one factor', async () => {
    const ada = await make.person();
    const browser = new Visitor(service);
    await browser.enrol(ada.id);
    const answers = await Promise.all(
      ['correct horse battery', 'staple correct horses'].map((password) =>
        browser.send('POST', '/factor', { password }),
      ),
    );
    assert.equal(answers.filter(({ status }) => status === 200).length, 1);
  });

  it('opened in many browsers at once lets one of them set up a factor, and no other one in', async () => {
    const ada = await make.person();
    const token = await invitationToken(service, ada.id);
    const browsers = Array.from({ length: 6 }, () => new Visitor(service));
    const passwordOf = (index: number) => `${longPassword} ${index}`;
    // Each goes on as soon as it can, while others still open the link.
    const answers = await Promise.all(
      browsers.map(async (browser, index) => {
        await browser.send('POST', '/enrolment', { token });
        return browser.send('POST', '/factor', { password: passwordOf(index) });
      }),
    );
    const winners = answers.flatMap(({ status }, index) => (status === 200 ? [index] : []));
    assert.equal(winners.length, 1, answers.map(({ status }) => status).join());
    const whole = await Promise.all(browsers.map((browser) => browser.send('GET', '/session')));
    assert.deepEqual(
      whole.flatMap(({ status }, index) => (status === 200 ? [index] : [])),
      winners,
    );
    assert.equal((await new Visitor(service).signIn(ada.username, passwordOf(winners[0] ?? 0))).state, 'whole');
  });

  it('does not get past a second factor that the person has: only the password can be set anew', async () => {
    const ada = await make.person();
    const own = new Visitor(service);
    await own.enrol(ada.id);
    const { seed } = await own.addTotp(longPassword);
    const thief = new Visitor(service);
    await thief.enrol(ada.id);
    const { secret, setup } = await thief.ok<TotpSetup>('POST', '/totp-setup');
    const totp = { setup, code: codeNow(secret) };
    assert.equal(await thief.refused('POST', '/factor', { password: longPassword, totp }), 'factor_needed');
    const { me } = await thief.ok<AddedFactors>('POST', '/factor', { password: 'another long password' });
    assert.equal(me.state, 'pending');
    assert.equal(await own.refused('GET', '/me'), 'signed_out', 'a changed password ends the sessions');
    await thief.ok<Me>('POST', '/sign-in/totp', { code: codeNow(seed, 1) });
  });
});

describe('setting up factors', () => {
  it('takes a short password only with a second factor, both or neither', async () => {
    const ada = await make.person();
    const browser = new Visitor(service);
    await browser.enrol(ada.id);
    assert.equal(await browser.refused('POST', '/factor', { password: 'sh0rt pass' }), 'invalid_fields');
    const { secret, setup } = await browser.ok<TotpSetup>('POST', '/totp-setup');
    const wrong = { setup, code: codeNow(secret, 10) };
    assert.equal(await browser.refused('POST', '/factor', { password: 'sh0rt pass', totp: wrong }), 'invalid_fields');
    assert.equal(
      await new Visitor(service).refused('POST', '/sign-in/password', {
        username: ada.username,
        password: 'sh0rt pass',
      }),
      'sign_in_refused',
    );
    const { recoveryCodes, me } = await browser.addTotp('sh0rt pass');
    assert.equal(me.state, 'whole');
    assert.equal(new Set(recoveryCodes).size, 10);
    assert.equal((await new Visitor(service).signIn(ada.username, 'sh0rt pass')).state, 'pending');
  });

  it('refuses common passwords and those made of the person, and takes 128 characters in any script', async () => {
    const ada = await make.person({ username: 'augusta.king', email: 'countess@example.com' });
    const browser = new Visitor(service);
    await browser.enrol(ada.id);
    for (const password of [
      'aaaaaaaaaaaaaaaaaaaa',
      '1qaz2wsx3edc4rfv',
      'augusta.king.2026',
      'rolecallrolecall',
      'countess@example.com',
      'x'.repeat(257),
      '',
    ]) {
      assert.equal(await browser.refused('POST', '/factor', { password }), 'invalid_fields', password);
    }
    const long = 'pässwörd ∑ 密码 '.repeat(10).slice(0, 128);
    await browser.ok('POST', '/factor', { password: long.normalize('NFD') });
    assert.equal((await new Visitor(service).signIn('Augusta.King', long.normalize('NFC'))).state, 'whole');
  });

  it('is not possible with the setup of another session, nor without any factor', async () => {
    const [ada, ben] = [new Visitor(service), new Visitor(service)];
    await ada.enrol((await make.person()).id);
    await ben.enrol((await make.person()).id);
    const { secret, setup } = await ada.ok<TotpSetup>('POST', '/totp-setup');
    const totp = { setup, code: codeNow(secret) };
    assert.equal(await ben.refused('POST', '/factor', { password: longPassword, totp }), 'invalid_fields');
    assert.equal(await ada.refused('POST', '/factor', { totp }), 'factor_needed');
    assert.equal(await ada.refused('POST', '/factor', {}), 'invalid_fields');
  });

  it('asks for a second factor where the service does, at enrolment and at the next sign-in', async () => {
    const ada = await makers(strict).person();
    const browser = new Visitor(strict);
    await browser.enrol(ada.id);
    assert.equal(await browser.refused('POST', '/factor', { password: longPassword }), 'factor_needed');
    await browser.addTotp(longPassword);
    await strict.ok('DELETE', `/person/${ada.id}/two-factor`);
    const again = new Visitor(strict);
    assert.equal((await again.signIn(ada.username, longPassword)).state, 'enrolling');
    const { me } = await again.addTotp();
    assert.equal(me.state, 'whole');
    assert.deepEqual(me.session.factors, ['password', 'totp']);
  });
});
