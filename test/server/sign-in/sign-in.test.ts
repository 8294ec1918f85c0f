import assert from 'node:assert/strict';
import { argon2Sync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import type { AnswerOf, Factors, Me } from '@rolecall/api';
import { listAudit } from '@rolecall/server';
import { withData } from '../../../server/data/open-data.ts';
import { addFactor, followFactors } from '../../../server/sign-in/factors.ts';
import { makers } from '../support/make.ts';
import { signedIn } from '../support/person.ts';
import { startTestService } from '../support/service.ts';
import { codeNow, longPassword, Visitor } from '../support/visitor.ts';

const service = await startTestService();
const make = makers(service);

/** A person who has set up how they sign in, and the browser in which they did. */
async function enrolled(options: { totp?: true } = {}) {
  const person = await make.person();
  const browser = new Visitor(service);
  await browser.enrol(person.id);
  if (options.totp === undefined) {
    await browser.ok('POST', '/factor', { password: longPassword });
    return { person, browser, seed: '', used: '', recoveryCodes: [] };
  }
  return { person, browser, ...(await browser.addTotp(longPassword)) };
}

const wrong = 'a wrong long password';
const attempt = (username: string, password: string, browser = new Visitor(service)) =>
  browser.send('POST', '/sign-in/password', { username, password });

describe('signing in with a password', () => {
  it('answers alike for a wrong password, an unknown person, one without a password and one who is locked', async () => {
    const [{ person }, locked, empty] = [await enrolled(), await enrolled(), await make.person()];
    await service.ok('PUT', `/person/${locked.person.id}/lock`);
    const answers = [
      await attempt(person.username, wrong),
      await attempt('nobody at all', wrong),
      await attempt(empty.username, wrong),
      await attempt(locked.person.username, longPassword),
    ];
    const shown = answers.map(({ status, body, headers }) => {
      const { requestId: _differs, ...problem } = body as Record<string, unknown>;
      return { status, problem, cookies: headers.getSetCookie() };
    });
    for (const one of shown) assert.deepEqual(one, shown[0]);
    assert.equal(shown[0]?.problem['code'], 'sign_in_refused');
  });

  it('gives a new session each time, so that a planted cookie is worth nothing', async () => {
    const { person } = await enrolled();
    const browser = new Visitor(service);
    browser.cookies.set('rolecall', 'rolecall_session_planted');
    await browser.signIn(person.username, longPassword);
    const first = browser.cookies.get('rolecall');
    assert.notEqual(first, 'rolecall_session_planted');
    await browser.signIn(person.username, longPassword);
    assert.notEqual(browser.cookies.get('rolecall'), first);
  });

  it('ends the session whose cookie it replaces, also one of another person, and no other one', async () => {
    const [ada, ben] = [await enrolled(), await enrolled()];
    const [browser, elsewhere] = [new Visitor(service), new Visitor(service)];
    await elsewhere.signIn(ada.person.username, longPassword);
    await browser.signIn(ada.person.username, longPassword);
    const before = new Visitor(service);
    before.cookies.set('rolecall', browser.cookies.get('rolecall') ?? '');
    await before.ok('GET', '/me');
    assert.equal((await attempt(ben.person.username, wrong, browser)).status, 403);
    await before.ok('GET', '/me');
    await browser.signIn(ben.person.username, longPassword);
    assert.equal(await before.refused('GET', '/me'), 'signed_out');
    await elsewhere.ok('GET', '/me');
  });

  it('ends with the sign-out: a cookie that was stolen before is refused', async () => {
    const { person, browser } = await enrolled();
    await browser.signIn(person.username, longPassword);
    const thief = new Visitor(service);
    thief.cookies.set('rolecall', browser.cookies.get('rolecall') ?? '');
    await thief.ok('GET', '/me');
    await browser.ok('POST', '/sign-out');
    assert.equal(await thief.refused('GET', '/me'), 'signed_out');
  });

  it('slows guessing down, and keeps no one out who comes with a browser that they have signed in with', async () => {
    const { person, browser } = await enrolled();
    let last = await attempt(person.username, wrong);
    for (let count = 0; count < 12 && last.status !== 429; count += 1) last = await attempt(person.username, wrong);
    assert.equal(last.status, 429);
    assert.match(String(last.headers.get('retry-after')), /^\d+$/);
    assert.equal((await attempt(person.username, longPassword)).status, 429, 'the right one is not checked either');
    assert.equal((await attempt(person.username, longPassword, browser)).status, 200);
    assert.equal((await attempt((await enrolled()).person.username, longPassword)).status, 200, 'nor is anyone else');
    const other = new Visitor(service);
    other.cookies.set('rolecall-device', (await enrolled()).browser.cookies.get('rolecall-device') ?? '');
    assert.equal((await attempt(person.username, longPassword, other)).status, 429, 'known for another person');
  });

  it('makes the hash anew where it was made with older parameters', async () => {
    const { person } = await enrolled();
    const salt = randomBytes(16);
    const options = { message: longPassword, nonce: salt, parallelism: 1, tagLength: 32, memory: 1024, passes: 1 };
    const tag = argon2Sync('argon2id', options);
    const text = (bytes: Buffer) => bytes.toString('base64').replaceAll('=', '');
    const old = `$argon2id$v=19$m=1024,t=1,p=1$${text(salt)}$${text(tag)}`;
    const sealedOf = () =>
      withData(service.store, async ({ store }) =>
        store.read(({ db }) =>
          db.selectFrom('sign_in_factor').select('sealed').where('person_id', '=', person.id).executeTakeFirstOrThrow(),
        ),
      );
    await withData(service.store, ({ store, seal }) =>
      store.write([], async (executor) => {
        await executor.db.deleteFrom('sign_in_factor').where('person_id', '=', person.id).execute();
        const factor = { id: `p${person.id}`, person: person.id, kind: 'password', name: 'Password' } as const;
        const rest = { lookup: null, counter: 0, createdAt: new Date().toISOString() };
        await addFactor(executor, seal, { ...factor, ...rest, secret: { hash: old, isLong: true, hasSecond: false } });
        await followFactors(executor, seal, person.id);
      }),
    );
    const before = await sealedOf();
    for (let count = 0; count < 2; count += 1) assert.equal((await attempt(person.username, longPassword)).status, 200);
    const after = await sealedOf();
    assert.notDeepEqual(after.sealed, before.sealed);
    assert.equal((await attempt(person.username, longPassword)).status, 200);
    assert.deepEqual((await sealedOf()).sealed, after.sealed, 'once');
  });
});

describe('the second factor', () => {
  it('of an authenticator app makes the session whole, with a new token; the old one is over', async () => {
    const { person, seed } = await enrolled({ totp: true });
    const browser = new Visitor(service);
    assert.equal((await browser.signIn(person.username, longPassword)).state, 'pending');
    const pending = browser.cookies.get('rolecall') ?? '';
    const me = await browser.ok<Me>('POST', '/sign-in/totp', { code: codeNow(seed, 1) });
    assert.deepEqual([me.state, me.session.factors], ['whole', ['password', 'totp']]);
    const other = new Visitor(service);
    other.cookies.set('rolecall', pending);
    assert.equal(await other.refused('GET', '/me'), 'signed_out');
  });

  it('is refused for a code that was used, also by two at once, and for one of a clock that is off by five minutes', async () => {
    const { person, seed, used } = await enrolled({ totp: true });
    const browsers = [new Visitor(service), new Visitor(service), new Visitor(service)] as const;
    for (const browser of browsers) await browser.signIn(person.username, longPassword);
    const [first, second, third] = browsers;
    for (const old of [codeNow(seed, -10), codeNow(seed, 10), used]) {
      assert.equal(await first.refused('POST', '/sign-in/totp', { code: old }), 'sign_in_refused');
    }
    const code = codeNow(seed, 1);
    const both = await Promise.all([first, second].map((browser) => browser.send('POST', '/sign-in/totp', { code })));
    assert.deepEqual(both.map(({ status }) => status).sort(), [200, 403]);
    assert.equal(await third.refused('POST', '/sign-in/totp', { code }), 'sign_in_refused');
  });

  it('can be a recovery code, each of them once, however it is typed', async () => {
    const { person, recoveryCodes } = await enrolled({ totp: true });
    const [code = ''] = recoveryCodes;
    const browser = new Visitor(service);
    await browser.signIn(person.username, longPassword);
    const typed = code.toLowerCase().replaceAll('-', ' ');
    await browser.ok<Me>('POST', '/sign-in/recovery-code', { code: typed });
    const { recoveryCodesLeft } = await browser.ok<Factors>('GET', '/factor');
    assert.equal(recoveryCodesLeft, 9);
    await browser.signIn(person.username, longPassword);
    assert.equal(await browser.refused('POST', '/sign-in/recovery-code', { code }), 'sign_in_refused');
  });

  it('is one recovery code for one of many browsers that bring it at once', async () => {
    const { person, recoveryCodes } = await enrolled({ totp: true });
    const browsers = Array.from({ length: 5 }, () => new Visitor(service));
    for (const browser of browsers) await browser.signIn(person.username, longPassword);
    const code = recoveryCodes[0];
    const answers = await Promise.all(
      browsers.map((browser) => browser.send('POST', '/sign-in/recovery-code', { code })),
    );
    assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 403, 403, 403, 403]);
  });

  it('is slowed down for guesses', async () => {
    const { person } = await enrolled({ totp: true });
    const browser = new Visitor(service);
    await browser.signIn(person.username, longPassword);
    const codes: string[] = [];
    for (let count = 0; count < 11; count += 1) {
      codes.push(await browser.refused('POST', '/sign-in/totp', { code: '000000' }));
    }
    assert.equal(codes.at(-1), 'too_many_requests');
  });

  it('that was deleted in the database does not make the password enough', async () => {
    const { person } = await enrolled({ totp: true });
    await withData(service.store, ({ store }) =>
      store.write([], async ({ db }) => {
        await db.deleteFrom('sign_in_factor').where('person_id', '=', person.id).where('kind', '=', 'totp').execute();
        await db.updateTable('person').set({ two_factor_enabled: 0 }).where('id', '=', person.id).execute();
      }),
    );
    assert.equal((await new Visitor(service).signIn(person.username, longPassword)).state, 'pending');
  });

  it('is really taken away by an administrator, with the sessions of the person', async () => {
    const { person, browser } = await enrolled({ totp: true });
    await service.ok('DELETE', `/person/${person.id}/two-factor`);
    assert.equal(await browser.refused('GET', '/me'), 'signed_out');
    assert.equal((await browser.signIn(person.username, longPassword)).state, 'whole');
    const { factors, recoveryCodesLeft } = await browser.ok<Factors>('GET', '/factor');
    assert.deepEqual([factors.map(({ kind }) => kind), recoveryCodesLeft], [['password'], 0]);
  });

  it('is taken away by an administrator with the sessions also where there is none, which the audit trail says', async () => {
    const { person, browser } = await enrolled();
    const take = () => service.ok('DELETE', `/person/${person.id}/two-factor`);
    await take();
    assert.equal(await browser.refused('GET', '/me'), 'signed_out');
    // The second one changes nothing.
    await take();
    const entries = await service.ok<AnswerOf<'listAuditEntries'>>('GET', '/audit?limit=1000');
    const taken = entries.filter(({ operation }) => operation === 'disableTwoFactor').at(-1);
    const changes = taken?.changes.map(({ kind, action, along }) => [kind, action, along]);
    assert.deepEqual(changes, [['session', 'deleted', undefined]]);
  });
});

describe("a person's own factors", () => {
  it('are listed, renamed and removed, but not the last one that lets the person in', async () => {
    const { person, browser } = await enrolled({ totp: true });
    const listed = await browser.ok<Factors>('GET', '/factor');
    assert.deepEqual(
      listed.factors.map(({ kind }) => kind),
      ['password', 'totp'],
    );
    const [password = '', totp = ''] = listed.factors.map(({ id }) => id);
    await browser.ok('POST', `/factor/${totp}`, { name: 'Phone' });
    assert.equal(await browser.refused('DELETE', `/factor/${password}`), 'factor_needed');
    await browser.ok('DELETE', `/factor/${totp}`);
    assert.equal(await browser.refused('DELETE', `/factor/${password}`), 'factor_needed');
    assert.equal((await new Visitor(service).signIn(person.username, longPassword)).state, 'whole');
  });

  it('change only after one was proven lately, a password only with the present one; then the other sessions end', async () => {
    const { person, browser } = await enrolled();
    const other = new Visitor(service);
    await other.signIn(person.username, longPassword);
    await makeOld(browser, person.id);
    const password = 'another long password';
    assert.equal(await browser.refused('POST', '/factor', { password }), 'recent_sign_in_required');
    assert.equal(await browser.refused('POST', '/prove/password', { password: wrong }), 'sign_in_refused');
    const stolen = browser.cookies.get('rolecall');
    await browser.ok('POST', '/prove/password', { password: longPassword });
    assert.notEqual(browser.cookies.get('rolecall'), stolen);
    assert.equal(await browser.refused('POST', '/factor', { password }), 'invalid_fields');
    assert.equal(await browser.refused('POST', '/factor', { password, currentPassword: wrong }), 'sign_in_refused');
    await browser.ok('POST', '/factor', { password, currentPassword: longPassword });
    await browser.ok('GET', '/me');
    assert.equal(await other.refused('GET', '/me'), 'signed_out');
    assert.equal((await attempt(person.username, longPassword)).status, 403);
    assert.equal((await attempt(person.username, password)).status, 200);
  });

  it('change in one of two sessions that change them at once, and in none that is ended meanwhile', async () => {
    const { person, browser } = await enrolled();
    const other = new Visitor(service);
    const { session } = await other.signIn(person.username, longPassword);
    const change = (by: Visitor, password: string) =>
      by.send('POST', '/factor', { password, currentPassword: longPassword });
    // Each is let in before a password is hashed, which takes longer than all else.
    const [end, ended] = await Promise.all([
      browser.send('DELETE', `/session/${session.id}`),
      change(other, 'the password of a thief'),
    ]);
    assert.deepEqual([end.status, ended.status], [200, 401], ended.text);
    await other.signIn(person.username, longPassword);
    const passwords = ['another long password', 'yet another long password'];
    const both = await Promise.all([browser, other].map((by, at) => change(by, passwords[at] ?? '')));
    assert.deepEqual(both.map(({ status }) => status).toSorted(), [200, 401]);
    const last = passwords[both.findIndex(({ status }) => status === 200)] ?? '';
    assert.equal((await attempt(person.username, last)).status, 200);
  });
});

it('every sign-in and refusal is in the audit trail with factor and address, and no secret is', async () => {
  const own = await startTestService();
  const ada = await makers(own).person();
  const browser = new Visitor(own);
  await browser.enrol(ada.id);
  const { seed, recoveryCodes } = await browser.addTotp(longPassword);
  await browser.send('POST', '/sign-in/password', { username: ada.username, password: wrong });
  await browser.send('POST', '/sign-in/password', { username: 'nobody', password: wrong });
  await browser.signIn(ada.username, longPassword);
  await browser.send('POST', '/sign-in/totp', { code: '000000' });
  await browser.ok('POST', '/sign-in/recovery-code', { code: recoveryCodes[0] });
  await own.close();
  const entries = await listAudit({ ...own.store, query: { limit: 100 } });
  const refusals = entries
    .filter(({ operation }) => operation === 'signIn')
    .map(({ actor, changes }) => {
      const [change] = changes;
      return [actor.id, change?.id, change?.after?.['factor'], change?.after?.['reason']];
    });
  assert.deepEqual(
    refusals.sort(),
    [
      ['127.0.0.1', ada.id, 'password', 'wrong'],
      ['127.0.0.1', ada.id, 'totp', 'wrong'],
      ['127.0.0.1', 'unknown', 'password', 'wrong'],
    ].sort(),
  );
  const opened = entries.flatMap(({ operation, actor, changes }) =>
    changes
      .filter(({ kind, action }) => kind === 'session' && action === 'created')
      .map(({ after }) => [operation, actor.type, after?.['state'], after?.['factors'], after?.['address']]),
  );
  assert.deepEqual(opened, [
    ['startEnrolment', 'person', 'enrolling', [], '127.0.0.1'],
    ['addFactors', 'person', 'whole', ['password', 'totp'], '127.0.0.1'],
    ['signInWithPassword', 'person', 'pending', ['password'], '127.0.0.1'],
    ['signInWithRecoveryCode', 'person', 'whole', ['password', 'recovery_code'], '127.0.0.1'],
  ]);
  const text = JSON.stringify(entries);
  for (const secret of [longPassword, wrong, seed, ...recoveryCodes]) assert.ok(!text.includes(secret));
});

/** Gives a browser a session of the person in which a factor was proven an hour ago. */
async function makeOld(browser: Visitor, person: string): Promise<void> {
  const { token } = await signedIn(service, person, { factors: ['password'], provenAt: Date.now() - 3_600_000 });
  browser.cookies.set('rolecall', token);
  await browser.ok('GET', '/me');
}
