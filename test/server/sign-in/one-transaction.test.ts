import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withData } from '../../../server/data/open-data.ts';
import { freePort } from '../../support/free-port.ts';
import { Authenticator } from '../support/authenticator.ts';
import { makers } from '../support/make.ts';
import { Browser, OpenIdProvider } from '../support/openid-provider.ts';
import { startTestService } from '../support/service.ts';
import { askStore, storeKind } from '../support/stores.ts';
import { codeNow, invitationToken, longPassword, Visitor } from '../support/visitor.ts';

// Passkeys are bound to a name; an address has none.
const port = await freePort();
const origin = `http://localhost:${port}`;
const company = await OpenIdProvider.start();
const base = `${origin}/person/v1/sign-in/oidc/company`;
await company.register(`${base}/callback`);
const service = await startTestService({ publicUrl: origin, port, oidc: [company.settings('company')] });
const make = makers(service);

type Options = Record<string, unknown>;

/** Everything that a sign-in writes. */
const everything = () =>
  withData(service.store, async ({ store }) =>
    store.read(async ({ db }) => ({
      factors: await db.selectFrom('sign_in_factor').selectAll().orderBy('id').execute(),
      sessions: await db.selectFrom('person_session').select(['id', 'state']).orderBy('id').execute(),
      tokens: await db.selectFrom('one_time_token').selectAll().orderBy('id').execute(),
      people: await db.selectFrom('person').selectAll().orderBy('id').execute(),
      trail: await db.selectFrom('audit_entry').select('hash').orderBy('seq').execute(),
    })),
  );

/** Makes writes fail where they come to a table: the last but one thing that a sign-in writes, or the last. */
const places = ['person_session', 'audit_entry'] as const;
const stop = (table: string) =>
  storeKind === 'sqlite'
    ? `create trigger stopped before insert on ${table} begin select raise(abort, 'stopped'); end`
    : `alter table ${table} add constraint stopped check (false) not valid`;
const goOn = (table: string) =>
  storeKind === 'sqlite' ? 'drop trigger stopped' : `alter table ${table} drop constraint stopped`;

/** A way to sign in, or to prove again who one is: what it needs, and the step that writes. */
const ways: Record<string, () => Promise<() => Promise<number>>> = {
  'a password': async () => {
    const { username, browser } = await enrolled();
    return async () => (await browser.send('POST', '/sign-in/password', { username, password: longPassword })).status;
  },
  'an authenticator app': async () => {
    const { username, browser, seed } = await enrolled();
    await browser.signIn(username, longPassword);
    const code = codeNow(seed, 1);
    return async () => (await browser.send('POST', '/sign-in/totp', { code })).status;
  },
  'a recovery code': async () => {
    const { username, browser, recoveryCodes } = await enrolled();
    await browser.signIn(username, longPassword);
    return async () => (await browser.send('POST', '/sign-in/recovery-code', { code: recoveryCodes[0] })).status;
  },
  'a new proof': async () => {
    const { browser, seed } = await enrolled();
    const code = codeNow(seed, 1);
    return async () => (await browser.send('POST', '/prove/password', { password: longPassword, code })).status;
  },
  'a passkey': async () => {
    const [browser, passkey] = [new Visitor(service, origin), new Authenticator(origin)];
    await browser.enrol((await make.person()).id);
    const created = passkey.create(await browser.ok<Options>('POST', '/passkey-setup'));
    await browser.ok('POST', '/factor', { passkey: { name: 'Laptop', credential: created } });
    const credential = passkey.get(await browser.ok<Options>('POST', '/sign-in/passkey-options'));
    const cookie = browser.cookies.get('rolecall-passkey') ?? '';
    return async () => {
      browser.cookies.set('rolecall-passkey', cookie);
      return (await browser.send('POST', '/sign-in/passkey', { credential })).status;
    };
  },
  'a provider': async () => {
    const { email } = await make.person();
    company.subject = crypto.randomUUID();
    company.accounts.set(company.subject, { email, email_verified: true });
    const browser = new Browser();
    const address = await browser.follow(base, (next) => next.startsWith(`${base}/callback`));
    const headers = { cookie: `rolecall-sign-in=${browser.cookie(base, 'rolecall-sign-in')}` };
    return async () => {
      const { status, ok } = await fetch(address, { headers, redirect: 'manual' });
      // The provider takes its code once, and repeats what it answered.
      company.isRepeating = true;
      return status === 303 || ok ? 200 : status;
    };
  },
  'a link and new factors': async () => {
    const browser = new Visitor(service, origin);
    const token = await invitationToken(service, (await make.person()).id);
    await browser.ok('POST', '/enrolment', { token });
    return async () => (await browser.send('POST', '/factor', { password: longPassword })).status;
  },
};

async function enrolled() {
  const { id, username } = await make.person();
  const browser = new Visitor(service, origin);
  await browser.enrol(id);
  return { username, browser, ...(await browser.addTotp(longPassword)) };
}

describe('a sign-in whose write breaks off leaves everything as it was, and succeeds when it is tried again:', () => {
  for (const [way, prepare] of Object.entries(ways)) {
    for (const place of places) {
      it(`${way}, at ${place}`, async () => {
        const signIn = await prepare();
        const before = await everything();
        await askStore(service.store, stop(place));
        try {
          assert.equal(await signIn(), 500);
        } finally {
          await askStore(service.store, goOn(place));
        }
        assert.deepEqual(await everything(), before);
        assert.equal(await signIn(), 200);
        assert.notDeepEqual(await everything(), before);
        company.isRepeating = false;
      });
    }
  }
});
